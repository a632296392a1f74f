import type { Sql, SqlValue } from '../../../shared/database/sql';
import { getInvoice } from '../../../shared/usecases/invoices/getInvoice';
import { listInvoices, type InvoiceListRequest } from '../../../shared/usecases/invoices/listInvoices';
import { hashToken } from '../../../shared/usecases/apiKeys/token';
import { ApiKeys } from '../../../api/apiKeys';
import type { Services } from '../../../shared/services';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';

let services: Services;
let companyId: number;
let clientId: number;
let invoiceId: number;

/** Enough invoices of one company that scanning or sorting them all would be the wrong plan. */
const COUNT = 4_000;

beforeAll(async () => {
  services = await openTestServices();
  ({ companyId } = await createCompany(services));
  clientId = (await createClient(services, companyId)).id;
  invoiceId = (await createInvoice(services, companyId, { clientId })).id;
  const columns = `companyId, clientId, status, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring, softDelete`;
  for (let made = 1; made < COUNT; made *= 2) {
    await services.sql.run(
      `INSERT INTO invoices (${columns}, invoiceNumber, issueDate, createdAt, updatedAt)
        SELECT ${columns}, CONCAT('N', id, '-', ?), DATE_ADD(issueDate, INTERVAL id MOD 300 DAY),
          DATE_ADD(createdAt, INTERVAL id SECOND), updatedAt FROM invoices`,
      [made],
    );
  }
  await services.sql.run(
    `INSERT INTO invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
      SELECT companyId, id, 0, 'x', 1, subtotal, subtotal, createdAt, updatedAt FROM invoices WHERE id <> ?`,
    [invoiceId],
  );
  await services.sql.rows('ANALYZE TABLE invoices, invoice_items, clients, record_counts');
});

interface Step {
  table: string;
  type: string;
  key: string | null;
  rows: string | number;
  Extra: string | null;
}

/** The plans of every statement that `use` runs. */
async function plansOf(use: (sql: Sql) => Promise<unknown>): Promise<Step[][]> {
  const statements: [string, readonly SqlValue[]][] = [];
  const rows: Sql['rows'] = (text, values = []) => {
    statements.push([text, values]);
    return services.sql.rows(text, values);
  };
  await use({ rows, run: (text, values) => services.sql.run(text, values) });
  return Promise.all(statements.map(([text, values]) => services.sql.rows<Step>(`EXPLAIN ${text}`, values)));
}

/** The page of ids itself (`<derived2>`) is a scan and a sort of the page. */
function expectIndexed(steps: Step[], atMost: number): void {
  for (const { table, type, rows, key, Extra } of steps) {
    if (table.startsWith('<')) continue;
    expect([table, type, key]).not.toEqual([table, 'ALL', key]);
    expect([table, Number(rows) <= atMost]).toEqual([table, true]);
    expect([table, Extra ?? '']).toEqual([table, expect.not.stringMatching(/Using filesort|Using temporary/)]);
  }
}

const request: InvoiceListRequest = {
  page: 1,
  limit: 10,
  sortBy: 'createdAt',
  sortOrder: 'desc',
  status: null,
  search: null,
  clientId: null,
  currency: null,
  issueDateFrom: null,
  issueDateTo: null,
  dueDateFrom: null,
  dueDateTo: null,
  includeDeleted: false,
};

describe('the plans of the hot reads', () => {
  test('one invoice › is found by the primary keys', async () => {
    const [steps = []] = await plansOf((sql) => getInvoice(sql, companyId, invoiceId));
    expect(steps.map(({ key }) => key)).toEqual(['PRIMARY', 'PRIMARY', 'PRIMARY']);
    expectIndexed(steps, 1);
  });

  test.each([
    ['the default list', {}, 'invoices_by_created'],
    ['the list of a status', { status: 'draft' }, 'invoices_by_status'],
    ['the list by due date', { sortBy: 'dueDate', sortOrder: 'asc' }, 'invoices_by_due_date'],
    ['the list by issue date', { sortBy: 'issueDate' }, 'invoices_by_issue_date'],
  ] as const)('%s › walks its index in order, without a sort of the company', async (_, changes, index) => {
    const [steps = []] = await plansOf((sql) => listInvoices(sql, companyId, { ...request, ...changes }));
    const inner = steps.filter(({ table, key }) => table === 'i' && key !== 'PRIMARY');
    expect(inner.map(({ key }) => key)).toEqual([index]);
    expect(inner[0]?.Extra ?? '').not.toMatch(/filesort|temporary/);
    for (const { table, type } of steps) if (!table.startsWith('<')) expect([table, type]).not.toEqual([table, 'ALL']);
  });

  test('the total of a usual list › reads the kept counts, not the invoices', async () => {
    for (const status of [null, 'draft']) {
      const [steps = [], ...others] = await plansOf((sql) => listInvoices(sql, companyId, { ...request, status }));
      const total = steps.filter(({ table }) => table === 'record_counts');
      expect(total.map(({ key }) => key)).toEqual(['PRIMARY']);
      expect(others).toEqual([]);
    }
  });

  test('an API key › is found by its hash', async () => {
    const [steps = []] = await plansOf((sql) => new ApiKeys({ ...services, sql }).find('inv_x'));
    // A hash that no row has is known from the index alone: there is no table left to read.
    expect(steps).toHaveLength(1);
    expect(steps[0]?.type ?? null).not.toBe('ALL');
    expect(hashToken('inv_x')).toHaveLength(64);
  });
});
