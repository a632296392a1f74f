import type { RecordList } from '../../../../shared/engine/records';
import { categoryList } from '../../../../shared/categories/record';
import { clientList } from '../../../../shared/clients/record';
import { creditNoteList } from '../../../../shared/creditNotes';
import { expenseList } from '../../../../shared/expenses/record';
import { invoiceList } from '../../../../shared/invoices/record';
import type { Services } from '../../../../shared/services';
import { createCategory, createClient, createCompany, createExpense, createInvoice } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { plansOf } from '../../../support/plans';

/** More than an export finds by one statement. */
const COUNT = 8_192;
let services: Services;
let companyId: number;

/** Doubles the first row until there are enough, with a second and a day between them. */
async function fill(
  table: string,
  columns: string,
  distinct: Record<string, string>,
  times: readonly string[] = ['createdAt', 'updatedAt'],
): Promise<void> {
  const names = [columns, ...Object.keys(distinct), ...times].join(', ');
  const values = [columns, ...Object.values(distinct)].join(', ');
  for (let made = 1; made < COUNT; made *= 2) {
    await services.sql.run(
      `INSERT INTO ${table} (${names}) SELECT ${values}, ${times.map((time) => `${time} + INTERVAL ${made} SECOND`).join(', ')}
         FROM ${table}`,
    );
  }
  await services.sql.rows(`ANALYZE TABLE ${table}`);
}

beforeAll(async () => {
  // One connection, which counts what it reads.
  services = await openTestServices({ env: { DATABASE_POOL_SIZE: '1' } });
  ({ companyId } = await createCompany(services));
  const client = await createClient(services, companyId);
  const category = await createCategory(services, companyId);
  await createInvoice(services, companyId, { clientId: client.id });
  await createExpense(services, companyId, { categoryId: category.id });
  const invoice =
    'companyId, clientId, status, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring, softDelete';
  await fill('invoices', invoice, {
    invoiceNumber: "CONCAT('N', UUID())",
    issueDate: 'issueDate + INTERVAL id MOD 300 DAY',
  });
  await services.sql.run(
    `INSERT IGNORE INTO invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
      SELECT companyId, id, 0, 'x', 1, subtotal, subtotal, createdAt, updatedAt FROM invoices`,
  );
  await fill(
    'expenses',
    'companyId, categoryId, vendor, description, amount, currency, status, recurring, softDelete',
    {
      expenseDate: 'expenseDate + INTERVAL id MOD 300 DAY',
    },
  );
  await services.sql.run(
    `INSERT INTO credit_notes (companyId, invoiceId, creditNoteNumber, issueDate, reason, notes, subtotal, tax, total, currency, createdAt)
      SELECT companyId, id, 'first', issueDate, '', '', 1, 0, 1, currency, createdAt FROM invoices LIMIT 1`,
  );
  await fill(
    'credit_notes',
    'companyId, invoiceId, reason, notes, subtotal, tax, total, currency',
    { creditNoteNumber: 'UUID()', issueDate: 'issueDate + INTERVAL id MOD 300 DAY' },
    ['createdAt'],
  );
  await services.sql.run(
    `INSERT INTO credit_note_items (companyId, creditNoteId, position, description, quantity, unitPrice, amount)
      SELECT companyId, id, 0, 'x', 1, subtotal, subtotal FROM credit_notes`,
  );
  await fill('clients', 'companyId, name, softDelete', {});
  await fill('categories', 'companyId, softDelete', { name: 'UUID()' });
  await services.sql.rows('ANALYZE TABLE invoice_items, credit_note_items, record_counts');
});

const lists: [string, RecordList<object>, readonly string[]][] = [
  ['invoices', invoiceList, ['id', 'createdAt', 'updatedAt', 'issueDate']],
  ['credit notes', creditNoteList, ['id', 'createdAt', 'issueDate']],
  ['expenses', expenseList, ['id', 'createdAt', 'updatedAt', 'expenseDate']],
  ['clients', clientList, ['id', 'createdAt', 'updatedAt']],
  ['categories', categoryList, ['id', 'createdAt', 'updatedAt']],
];

describe.each(lists)('a batch of %s', (name, list, sortings) => {
  const cases = sortings.flatMap((sortBy) => [
    [sortBy, 'asc' as const],
    [sortBy, 'desc' as const],
  ]);
  test.each(cases)(
    'by %s %s › its ids are found by an index, 5,000 by a statement; it is read by them',
    async (sortBy, sortOrder) => {
      const query = { limit: 10, sortBy: String(sortBy), sortOrder: sortOrder as 'asc', status: 'all' };
      const plans = await plansOf(services.sql, async (sql) => {
        let batches = 0;
        for await (const _ of list.batches?.(sql, companyId, query) ?? []) if (++batches === 51) return;
      });
      // Ids, fifty batches, ids, a batch.
      expect(plans).toHaveLength(53);
      for (const { table, key, type } of [plans[0], plans[1], plans[51], plans[52]].flatMap((plan) => plan ?? [])) {
        if (table.startsWith('<') || table === null) continue;
        expect([table, type, key]).not.toEqual([table, 'ALL', key]);
      }
    },
  );

  test.each(sortings)(
    'by %s › every one is in one batch, and a deep batch reads as few rows as the second',
    async (sortBy) => {
      const query = { limit: 10, sortBy, sortOrder: 'asc' as const, status: 'all' };
      const ids: number[] = [];
      const reads: number[] = [];
      for await (const batch of list.batches?.(services.sql, companyId, query) ?? []) {
        ids.push(...(batch as { id: number }[]).map(({ id }) => id));
        const status = await services.sql.rows<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
        reads.push(status.reduce((sum, { Value }) => sum + Number(Value), 0));
      }
      expect([ids.length, new Set(ids).size]).toEqual([COUNT, COUNT]);
      const readsOf = (batch: number): number => (reads[batch] ?? 0) - (reads[batch - 1] ?? 0);
      expect([name, readsOf(reads.length - 3) <= readsOf(1) + 50]).toEqual([name, true]);
    },
  );
});
