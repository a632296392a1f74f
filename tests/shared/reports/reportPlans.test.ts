import type { Sql } from '../../../shared/engine/db';
import type { Services } from '../../../shared/services';
import { type Report, reports } from '../../../shared/reports';
import { createCompany, createExpense, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { plansOf, type Step } from '../../support/plans';

let services: Services;
let companyId: number;

/** Enough invoices, payments, credit notes and expenses that reading all would be the wrong plan; half of them another company's. */
const COUNT = 4_000;

beforeAll(async () => {
  services = await openTestServices();
  const { sql } = services;
  for (let n = 0; n < 2; n++) {
    ({ companyId } = await createCompany(services));
    const issueDate = '2020-01-01';
    await createInvoice(services, companyId, { issueDate, dueDate: '2020-01-31', recurring: 'monthly' });
    await createExpense(services, companyId, { expenseDate: issueDate, recurring: 'monthly' });
  }
  const copied = {
    invoices: 'companyId, clientId, currency, subtotal, tax, taxRate, total, notes, softDelete, createdAt, updatedAt',
    expenses: 'companyId, categoryId, vendor, description, amount, currency, softDelete, createdAt, updatedAt',
  };
  // One in ten is open; the others were paid, a day each.
  for (let made = 2; made < COUNT; made *= 2) {
    await sql.run(`INSERT INTO invoices (${copied.invoices}, recurring, issueDate, dueDate, status, paidAt)
      SELECT ${copied.invoices}, 'none', '2020-01-01' + INTERVAL id MOD 2000 DAY, '2020-02-01' + INTERVAL id MOD 2000 DAY,
        IF(id MOD 10 = 0, 'sent', 'paid'), IF(id MOD 10 = 0, NULL, '2020-01-15' + INTERVAL id MOD 2000 DAY) FROM invoices`);
    await sql.run(`INSERT INTO expenses (${copied.expenses}, recurring, expenseDate, status)
      SELECT ${copied.expenses}, 'none', '2020-01-01' + INTERVAL id MOD 2000 DAY, 'approved' FROM expenses`);
  }
  await sql.run(`INSERT INTO payments (companyId, invoiceId, amount, settles, currency, paidAt, createdAt, updatedAt)
    SELECT companyId, id, total, total, currency, paidAt, createdAt, updatedAt FROM invoices WHERE paidAt IS NOT NULL`);
  await sql.run(`INSERT INTO credit_notes (companyId, invoiceId, issueDate, creditNoteNumber, reason, notes, subtotal, tax, total, currency, createdAt)
    SELECT companyId, id, issueDate, id, '', '', 1, 0, 1, currency, createdAt FROM invoices WHERE id MOD 20 = 0`);
  await sql.rows('ANALYZE TABLE invoices, expenses, payments, credit_notes, clients, categories');
});

async function plan<Query>(report: Report<Query>, query: Query): Promise<Step[]> {
  const now = new Date('2025-06-01T00:00:00Z');
  const breathe = (): Promise<void> => Promise.resolve();
  const plans = await plansOf(services.sql, (sql: Sql) => report.read({ sql, companyId, now, breathe }, query));
  return plans.flat();
}

/** The indexes by which a table is read, except by the primary key. */
const indexesOf = (steps: Step[]): string[] =>
  [...new Set(steps.flatMap(({ key }) => (key === null || key === 'PRIMARY' ? [] : [key])))].sort();

const days = { from: '2025-03-01', to: '2025-03-31' };

/** A report, and the indexes that it names or needs. Rows that are sums, in tables of the statement itself, have no index. */
const cases: [string, () => Promise<Step[]>, string[]][] = [
  [
    'receivables',
    () => plan(reports.Receivables, { asOf: '2025-05-01' }),
    ['credit_notes_by_day', 'credit_notes_by_invoice', 'invoices_by_paid', 'invoices_overdue', 'payments_by_invoice'],
  ],
  [
    'receivables of each client',
    () => plan(reports.Receivables, { asOf: '2025-05-01', groupBy: 'client' }),
    ['credit_notes_by_day', 'credit_notes_by_invoice', 'invoices_by_paid', 'invoices_overdue', 'payments_by_invoice'],
  ],
  ...(['day', 'client'] as const).map((by): [string, () => Promise<Step[]>, string[]] => [
    `revenue by ${by}`,
    () => plan(reports.Revenue, { ...days, by }),
    ['credit_notes_by_day', 'invoices_by_issue_date', 'payments_by_time'],
  ]),
  ['tax', () => plan(reports.Tax, days), ['credit_notes_by_day', 'invoices_by_issue_date']],
  ['expenses', () => plan(reports.Expenses, { ...days, by: 'category', status: 'all' }), ['expenses_by_date']],
  [
    'expenses of a status',
    () => plan(reports.Expenses, { ...days, by: 'vendor', status: 'approved' }),
    ['expenses_by_status'],
  ],
  [
    'upcoming',
    () => plan(reports.Upcoming, {}),
    ['expenses_due', 'expenses_occurrence', 'invoices_due', 'invoices_occurrence'],
  ],
];

test.each(cases)('%s › is read by indexes alone, one row at a time at most beside them', async (_, read, indexes) => {
  const steps = await read();
  const tables = steps.filter(({ table, key }) => table !== null && !table.startsWith('<') && key !== 'companies');
  for (const { table, type } of tables) {
    // `b` and `r` are tables of the statement itself.
    if (!['b', 'r'].includes(table) || type !== 'ALL')
      expect([table, type]).not.toEqual([table, expect.stringMatching(/^(ALL|index)$/)]);
  }
  expect(indexesOf(tables)).toEqual(expect.arrayContaining(indexes));
});

test('receivables of a late day › read the open invoices, not those that were paid long before', async () => {
  const steps = await plan(reports.Receivables, { asOf: '2025-06-01' });
  const found = steps.filter(({ key }) => key === 'invoices_overdue' || key === 'invoices_by_paid');
  const read = found.reduce((sum, { rows }) => sum + Number(rows), 0);
  expect(read).toBeLessThan(COUNT / 4);
});

test('receivables › compute what is due of an invoice once, not for each column', async () => {
  const steps = await plan(reports.Receivables, {});
  // The invoices that are found, and what is due of each of them.
  expect(steps.filter(({ table }) => table?.startsWith('<derived'))).toHaveLength(2);
});
