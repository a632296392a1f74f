import { parse } from 'csv-parse/sync';
import type { InvoiceInput } from '../../../shared/invoices/record';
import { createCategory, createClient, createCompany, createExpense, createInvoice } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { createLargeInvoices } from '../../support/largeInvoices';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;
let companyId: number;
let token: string;
let clientId: number;

beforeAll(async () => {
  api = await startApi({ env: { MAX_RATE_MB: '1000' } });
});
beforeEach(async () => {
  ({ companyId, token } = await createCompany(api.services));
  clientId = (await createClient(api.services, companyId, { name: 'Budi' })).id;
});

const get = (path: string, headers: object = {}, method = 'GET'): Promise<Response> =>
  fetch(api.url + path, { method, headers: { Authorization: `Bearer ${token}`, Accept: 'text/csv', ...headers } });
const tableOf = async (path: string): Promise<string[][]> => parse(await (await get(path)).text());
const rowsOf = async (path: string): Promise<Record<string, string>[]> =>
  parse(await (await get(path)).text(), { columns: true });
const create = (changes: Partial<InvoiceInput> = {}): Promise<{ id: number }> =>
  createInvoice(api.services, companyId, { clientId, ...changes });

describe('Accept: text/csv', () => {
  test('invoices › a header, a row each, decimals, days and times in UTC, every value in its column', async () => {
    const { id } = await create({ invoiceNumber: 'INV-1', issueDate: '2026-01-31', dueDate: '2026-02-28' });
    const response = await get('/api/invoices');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('vary')).toContain('Accept');
    const text = await response.text();
    expect(text.endsWith('\r\n')).toBe(true);
    const [row] = parse(text, { columns: true });
    const json = (await (await get('/api/invoices', { Accept: '*/*' })).json()) as { data: Record<string, unknown>[] };
    expect(row).toMatchObject({
      id: String(id),
      invoiceNumber: 'INV-1',
      issueDate: '2026-01-31',
      total: json.data[0]?.total,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      softDelete: 'false',
      paidAt: '',
      'client.name': 'Budi',
    });
    expect(row).not.toHaveProperty('items');
  });

  test('no match › the header alone', async () => {
    expect(await tableOf('/api/categories?columns=id,name')).toEqual([['id', 'name']]);
  });

  test('2,500 invoices by filter › each exactly once', async () => {
    await create({ currency: 'USD' });
    const columns =
      'companyId, clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring, softDelete, createdAt, updatedAt';
    for (let made = 1; made < 2_500; made *= 2) {
      await api.services.sql.run(
        `INSERT INTO invoices (${columns}, invoiceNumber) SELECT ${columns}, UUID() FROM invoices
          WHERE companyId = ? LIMIT ${Math.min(made, 2_500 - made)}`,
        [companyId],
      );
    }
    await api.services.sql.run(
      `INSERT IGNORE INTO invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
        SELECT companyId, id, 0, 'x', 1, 1, 1, createdAt, updatedAt FROM invoices WHERE companyId = ?`,
      [companyId],
    );
    await create({ currency: 'IDR' });
    const ids = (await rowsOf('/api/invoices?currency=USD&columns=id')).map(({ id }) => id);
    expect(ids).toHaveLength(2_500);
    expect(new Set(ids).size).toBe(2_500);
  });

  test('formulas, quotes, line breaks, Unicode › text is guarded, amounts are not', async () => {
    const items = ['=1+1', '+1', '-1', '@x', '\tx', 'a "b", c\nd', '日本 ☕'].map((description) => ({
      description,
      quantity: 1,
      unitPrice: '-5.00',
    }));
    await create({ items: [...items, { description: 'rest', quantity: 100, unitPrice: '1.00' }] });
    const rows = await rowsOf('/api/invoices?items=rows&columns=items.description,items.amount,items.id,id');
    expect(rows.map((row) => row['items.description'])).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@x",
      "'\tx",
      'a "b", c\nd',
      '日本 ☕',
      'rest',
    ]);
    expect(rows.map((row) => row['items.amount'])).toEqual([...items.map(() => '-5.00'), '100.00']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1);
  });

  test('columns › in the order that was asked for; unknown, or twice, is 400 with the known ones', async () => {
    await create({ invoiceNumber: 'A' });
    expect(await tableOf('/api/invoices?columns=client.name,invoiceNumber')).toEqual([
      ['client.name', 'invoiceNumber'],
      ['Budi', 'A'],
    ]);
    for (const columns of ['id,secret', 'items.description', 'id,id']) {
      const response = await get(`/api/invoices?columns=${columns}`);
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { path: string; message: string }[] };
      expect(errors[0]?.path).toBe('columns');
    }
  });

  test('bom=true › begins with the mark of UTF-8', async () => {
    const bytes = Buffer.from(await (await get('/api/clients?bom=true')).arrayBuffer());
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  test('the name of the file › company, kind and day; HEAD has it too', async () => {
    await api.services.sql.run('UPDATE companies SET name = \'Café "Ü"\' WHERE id = ?', [companyId]);
    const name = /^attachment; filename="Cafe _U_-invoices-\d{4}-\d\d-\d\d\.csv"; filename\*=UTF-8''Caf%C3%A9/;
    for (const method of ['GET', 'HEAD']) {
      const response = await get('/api/invoices', {}, method);
      expect(response.headers.get('content-disposition')).toMatch(name);
      await response.text();
    }
  });

  test('expenses, clients and payments › have it too', async () => {
    const categoryId = (await createCategory(api.services, companyId, 'Office')).id;
    await createExpense(api.services, companyId, { categoryId, amount: 12.5, expenseDate: '2026-01-31' });
    const { id } = await create({ status: 'sent' });
    await api.as(token).post(`/api/invoices/${id}/payments`).send({ amount: '1.00' }).expect(201);
    expect(await rowsOf('/api/expenses')).toMatchObject([
      { amount: '12.50', expenseDate: '2026-01-31', 'category.name': 'Office' },
    ]);
    expect(await rowsOf('/api/clients')).toMatchObject([{ name: 'Budi', reminders: 'true' }]);
    expect(await rowsOf(`/api/invoices/${id}/payments`)).toMatchObject([{ amount: '1.00', source: 'manual' }]);
    expect((await get('/api/invoices/999999999/payments')).status).toBe(404);
  });

  test.each(['page=2', 'cursor=', 'sortBy=total'])(
    '%s › 400, because every match is sent by an index',
    async (query) => {
      expect((await get(`/api/invoices?${query}`)).status).toBe(400);
    },
  );

  test('Accept prefers JSON, or has no preference › JSON', async () => {
    for (const Accept of ['*/*', 'application/json', 'text/csv;q=0.5, application/json', 'text/csv;q=0, */*']) {
      expect((await get('/api/invoices', { Accept })).headers.get('content-type')).toContain('application/json');
    }
  });
});

describe('a reader that stalls', () => {
  test('holds no connection of the pool and bounded memory; a second export is 429 until it is away', async () => {
    const large = await createLargeInvoices(api.services, 100);
    token = large.token;
    const stalled = await fetch(`${api.url}/api/invoices?items=rows`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/csv', 'Accept-Encoding': 'identity' },
    });
    const { pool } = api.services.sequelize.connectionManager as unknown as { pool: { using: number } };
    await eventually(() => pool.using === 0);
    const second = await get('/api/clients');
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await second.json()).toMatchObject({ code: 'export_in_progress' });
    await stalled.body?.cancel();
    await eventually(async () => (await get('/api/clients')).ok);
  });

  test('MySQL is lost in the middle › the connection is cut', async () => {
    const large = await createLargeInvoices(api.services, 100);
    token = large.token;
    const response = await get('/api/invoices?items=rows', { 'Accept-Encoding': 'identity' });
    jest.spyOn(api.services.sequelize.connectionManager, 'getConnection').mockRejectedValue(new Error('lost'));
    await expect(response.text()).rejects.toThrow();
    jest.restoreAllMocks();
    await eventually(async () => (await get('/api/clients')).ok);
  });
});
