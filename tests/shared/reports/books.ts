import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { insertRows, toSqlTime, type NewRow } from '../../../shared/engine/db';
import type { Services } from '../../../shared/services';
import { createCategory, createClient, createCompany } from '../../support/factories';

/** Amounts are whole cents here: the oracle adds integers. */
export interface InvoiceOfBooks {
  client: 0 | 1;
  status: 'draft' | 'sent' | 'overdue' | 'paid' | 'cancelled';
  issueDate: string;
  dueInDays: number;
  currency: string;
  taxRate: string;
  subtotal: number;
  tax: number;
  /** When it was paid, cancelled or deleted, if it was. */
  closedAt: Date;
  isDeleted: boolean;
  payments: { cents: number; currency: string; paidAt: Date; voidedAt: Date | null }[];
  notes: { afterDays: number; subtotal: number; tax: number }[];
}

export interface ExpenseOfBooks {
  category: 0 | 1;
  vendor: string;
  status: 'pending' | 'approved' | 'rejected';
  expenseDate: string;
  cents: number;
  currency: string;
  isDeleted: boolean;
}

export interface Books {
  timezone: string;
  invoices: InvoiceOfBooks[];
  expenses: ExpenseOfBooks[];
}

/** New York changes its clocks on 8 March and 1 November 2026; Kolkata is five and a half hours ahead, Jakarta seven. */
const timezones = ['Asia/Jakarta', 'America/New_York', 'Asia/Kolkata'];

const currency = fc.constantFrom('IDR', 'USD');
const cents = fc.integer({ min: 1, max: 40_000 });
const dayFrom = (first: string, days: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: days - 1 }).map((n) => later(first, n));
/** Near the change of the clocks in March, on full and half hours, and a little before and after them. */
const instant = fc
  .tuple(fc.integer({ min: 0, max: 47 * 20 }), fc.constantFrom(-1, 0, 1))
  .map(([halfHours, ms]) => new Date(Date.parse('2026-02-28T00:00:00Z') + halfHours * 1_800_000 + ms));

const invoice: fc.Arbitrary<InvoiceOfBooks> = fc
  .record({
    client: fc.constantFrom(0, 1),
    status: fc.constantFrom('draft', 'sent', 'overdue', 'paid', 'cancelled'),
    issueDate: dayFrom('2025-11-20', 120),
    dueInDays: fc.integer({ min: 0, max: 40 }),
    currency,
    taxRate: fc.constantFrom('0.00', '8.25', '11.00'),
    subtotal: cents,
    tax: fc.integer({ min: 0, max: 5_000 }),
    closedAt: instant,
    isDeleted: fc.boolean(),
    payments: fc.array(fc.record({ cents, currency, paidAt: instant, voidedAt: fc.option(instant, { freq: 3 }) }), {
      maxLength: 3,
    }),
    notes: fc.array(
      fc.record({
        afterDays: fc.integer({ min: 0, max: 120 }),
        subtotal: cents,
        tax: fc.integer({ min: 0, max: 500 }),
      }),
      { maxLength: 2 },
    ),
    creditsAll: fc.boolean(),
  })
  .map(({ creditsAll, ...drawn }) => {
    // What is paid was not closed before a payment that pays it.
    const paid = drawn.status === 'paid' ? drawn.payments.map(({ paidAt }) => paidAt.getTime()) : [];
    const made = { ...drawn, closedAt: new Date(Math.max(drawn.closedAt.getTime(), ...paid)) };
    const [first, ...others] = made.notes;
    if (!creditsAll || first === undefined) return made;
    return { ...made, notes: [{ ...first, subtotal: made.subtotal, tax: made.tax }, ...others] };
  });

const expense = fc.record({
  category: fc.constantFrom(0, 1),
  vendor: fc.constantFrom('Warung Sari', 'warung sari', 'Awan'),
  status: fc.constantFrom('pending', 'approved', 'rejected'),
  expenseDate: dayFrom('2026-01-20', 90),
  cents,
  currency,
  isDeleted: fc.boolean(),
}) as fc.Arbitrary<ExpenseOfBooks>;

export const books: fc.Arbitrary<Books> = fc.record({
  timezone: fc.constantFrom(...timezones),
  invoices: fc.array(invoice, { maxLength: 12 }),
  expenses: fc.array(expense, { maxLength: 12 }),
});

export interface Written {
  companyId: number;
  clients: { id: number; name: string }[];
  categories: { id: number; name: string }[];
}

/** Writes books into a company of their own, as rows: most states would take days to reach by requests. */
export async function write(services: Services, { timezone, invoices, expenses }: Books): Promise<Written> {
  const { companyId } = await createCompany(services, { timezone });
  const clients = [await createClient(services, companyId), await createClient(services, companyId)];
  const categories = [await createCategory(services, companyId), await createCategory(services, companyId)];
  const { sql } = services;
  const at = toSqlTime(new Date('2025-01-01T00:00:00Z'));
  const of = { companyId, currency: 'IDR', createdAt: at };
  const insert = async (table: string, rows: NewRow[]): Promise<void> => {
    if (rows.length > 0) await insertRows(sql, table, rows);
  };
  for (const one of invoices) {
    const { status, issueDate, closedAt, isDeleted } = one;
    const closed = toSqlTime(closedAt);
    await insert('invoices', [
      {
        ...{ ...of, clientId: clients[one.client]?.id ?? 0, invoiceNumber: null, status, issueDate },
        ...{ dueDate: later(issueDate, one.dueInDays), currency: one.currency, taxRate: one.taxRate, notes: '' },
        ...{ subtotal: text(one.subtotal), tax: text(one.tax), total: text(one.subtotal + one.tax) },
        ...{ recurring: 'none', softDelete: isDeleted, updatedAt: isDeleted ? closed : at },
        ...{ paidAt: status === 'paid' ? closed : null, cancelledAt: status === 'cancelled' ? closed : null },
      },
    ]);
    const [found] = await sql.rows<{ id: number }>('SELECT MAX(id) AS id FROM invoices WHERE companyId = ?', [
      companyId,
    ]);
    const invoiceId = found?.id ?? 0;
    await insert(
      'payments',
      one.payments.map(({ cents, currency, paidAt, voidedAt }) => ({
        ...{
          ...of,
          invoiceId,
          currency,
          amount: text(cents),
          settles: currency === one.currency ? text(cents) : '0.00',
        },
        ...{ paidAt: toSqlTime(paidAt), voidedAt: voidedAt === null ? null : toSqlTime(voidedAt), updatedAt: at },
      })),
    );
    await insert(
      'credit_notes',
      one.notes.map(({ afterDays, subtotal, tax }) => ({
        ...{
          ...of,
          invoiceId,
          currency: one.currency,
          creditNoteNumber: randomUUID(),
          issueDate: later(issueDate, afterDays),
        },
        ...{ reason: 'test', notes: '', subtotal: text(subtotal), tax: text(tax), total: text(subtotal + tax) },
      })),
    );
    const credited = one.notes.reduce((sum, { subtotal, tax }) => sum + subtotal + tax, 0);
    await sql.run('UPDATE invoices SET credited = ? WHERE companyId = ? AND id = ?', [
      text(credited),
      companyId,
      invoiceId,
    ]);
  }
  await insert(
    'expenses',
    expenses.map(({ category, vendor, status, expenseDate, cents, currency, isDeleted }) => ({
      ...{ ...of, categoryId: categories[category]?.id ?? 0, vendor, description: '', status, expenseDate, currency },
      ...{ amount: text(cents), recurring: 'none', softDelete: isDeleted, updatedAt: at },
    })),
  );
  return { companyId, clients, categories };
}

/** A day so many days after another. */
export function later(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Cents as responses show them. */
export function text(cents: number): string {
  return (cents / 100).toFixed(2);
}
