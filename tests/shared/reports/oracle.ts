import { type Books, type InvoiceOfBooks, later, text, type Written } from './books';

/** The reports in plain TypeScript: loops over the books, days by `Intl`, integers for money. */

type Sums = Record<string, number>;
/** The sums of each currency and key. */
type Groups = Map<string, { key: object; sums: Sums }>;

function localDay(timezone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(at);
}

const total = ({ subtotal, tax }: { subtotal: number; tax: number }): number => subtotal + tax;
const sum = (amounts: number[]): number => amounts.reduce((a, b) => a + b, 0);
const creditedOf = ({ notes }: InvoiceOfBooks): number => sum(notes.map(total));
const isWithin = (day: string, from: string, to: string): boolean => from <= day && day <= to;

function isIssued(invoice: InvoiceOfBooks): boolean {
  if (invoice.isDeleted || invoice.status === 'draft') return false;
  return invoice.status !== 'cancelled' || creditedOf(invoice) >= total(invoice);
}

function add(groups: Groups, key: object, sums: Sums): void {
  const name = JSON.stringify(key);
  const group = groups.get(name) ?? { key, sums: Object.fromEntries(Object.keys(sums).map((sum) => [sum, 0])) };
  for (const [sum, value] of Object.entries(sums)) group.sums[sum] = (group.sums[sum] ?? 0) + value;
  groups.set(name, group);
}

/** The rows in any order; a count is a number. */
function rowsOf(groups: Groups): object[] {
  return [...groups.values()].map(({ key, sums }) => ({
    ...key,
    ...Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, name === 'count' ? value : text(value)])),
  }));
}

export function receivablesOf({ timezone, invoices }: Books, asOf: string, ofClient: (n: number) => object): object[] {
  const was = (at: Date): boolean => localDay(timezone, at) <= asOf;
  const groups: Groups = new Map();
  for (const invoice of invoices) {
    const { status, closedAt, issueDate, currency, payments, notes, isDeleted, client } = invoice;
    const isFullyCredited = creditedOf(invoice) >= total(invoice);
    const counted = payments.filter((payment) => payment.currency === currency);
    const coveredNow = sum(counted.filter(({ voidedAt }) => voidedAt === null).map(({ cents }) => cents));
    const isDeclaredPaid = status === 'paid' && coveredNow < Math.max(1, total(invoice) - creditedOf(invoice));
    if (issueDate > asOf || status === 'draft' || (isDeleted && was(closedAt))) continue;
    if (status === 'cancelled' && !isFullyCredited && was(closedAt)) continue;
    if (isDeclaredPaid && was(closedAt)) continue;
    const covered = counted.filter(({ paidAt, voidedAt }) => was(paidAt) && (voidedAt === null || !was(voidedAt)));
    const credited = notes.filter(({ afterDays }) => later(issueDate, afterDays) <= asOf).map(total);
    const due = total(invoice) - sum(credited) - sum(covered.map(({ cents }) => cents));
    if (due <= 0) continue;
    const age = (Date.parse(asOf) - Date.parse(later(issueDate, invoice.dueInDays))) / 86_400_000;
    const bucket = age <= 0 ? 'current' : age <= 30 ? '1-30' : age <= 60 ? '31-60' : age <= 90 ? '61-90' : 'over90';
    const none = { current: 0, '1-30': 0, '31-60': 0, '61-90': 0, over90: 0 };
    add(groups, { currency, ...ofClient(client) }, { ...none, [bucket]: due, total: due, count: 1 });
  }
  return rowsOf(groups);
}

export function periodOf(by: string, day: string): string {
  const month = Number(day.slice(5, 7));
  const shown: Record<string, string> = {
    day,
    month: day.slice(0, 7),
    quarter: `${day.slice(0, 4)}-Q${Math.ceil(month / 3)}`,
    year: day.slice(0, 4),
  };
  return shown[by] ?? '';
}

export function revenueOf(
  { timezone, invoices }: Books,
  { from, to }: { from: string; to: string },
  keyOf: (day: string, client: number) => object,
): object[] {
  const groups: Groups = new Map();
  const put = (day: string, { currency, client }: InvoiceOfBooks, sums: Sums): void => {
    const none = { issued: 0, credited: 0, paid: 0, count: 0 };
    if (isWithin(day, from, to)) add(groups, { currency, ...keyOf(day, client) }, { ...none, ...sums });
  };
  for (const invoice of invoices) {
    if (isIssued(invoice)) {
      put(invoice.issueDate, invoice, { issued: total(invoice), count: 1 });
      for (const note of invoice.notes) {
        put(later(invoice.issueDate, note.afterDays), invoice, { credited: total(note) });
      }
    }
    for (const { cents, currency, paidAt, voidedAt } of invoice.isDeleted ? [] : invoice.payments) {
      if (currency !== invoice.currency || voidedAt !== null) continue;
      put(localDay(timezone, paidAt), invoice, { paid: cents });
    }
  }
  return rowsOf(groups);
}

export function taxOf({ invoices }: Books, { from, to }: { from: string; to: string }): object[] {
  const groups: Groups = new Map();
  for (const invoice of invoices.filter(isIssued)) {
    const { currency, taxRate, issueDate, subtotal, tax } = invoice;
    const key = { currency, taxRate };
    if (isWithin(issueDate, from, to)) add(groups, key, { net: subtotal, tax, count: 1 });
    for (const note of invoice.notes) {
      if (isWithin(later(issueDate, note.afterDays), from, to)) {
        add(groups, key, { net: -note.subtotal, tax: -note.tax, count: 1 });
      }
    }
  }
  return rowsOf(groups);
}

export function expensesOf(
  { expenses }: Books,
  { from, to, status }: { from: string; to: string; status: string },
  keyOf: (expense: Books['expenses'][number]) => object,
): object[] {
  const groups: Groups = new Map();
  for (const expense of expenses) {
    if (expense.isDeleted || !isWithin(expense.expenseDate, from, to)) continue;
    if (status !== 'all' && expense.status !== status) continue;
    add(groups, { currency: expense.currency, ...keyOf(expense) }, { sum: expense.cents, count: 1 });
  }
  return rowsOf(groups);
}

export const clientOf =
  ({ clients }: Written) =>
  (n: number): object => ({ clientId: clients[n]?.id, client: clients[n]?.name });
