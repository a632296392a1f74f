import { createClient, createCompany, createInvoice } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId, { name: 'Budi' })).id;
});

interface Page {
  data: (Record<string, string | number | null> & { id: number; invoiceNumber: string })[];
  total: number;
  page: number;
  limit: number;
  totalPages: number;
}

const create = async (changes: object = {}): Promise<number> =>
  (await createInvoice(api.services, companyId, { clientId, ...changes })).id;
const list = async (query: object = {}): Promise<Page> =>
  (await caller.get('/api/invoices').query(query).expect(200)).body as Page;
const idsOf = async (query: object): Promise<number[]> => (await list(query)).data.map(({ id }) => id);
const numbersOf = async (query: object): Promise<string[]> =>
  (await list(query)).data.map(({ invoiceNumber }) => invoiceNumber).sort();

describe('GET /api/invoices › paging', () => {
  test('no records › an empty page 1 of 0', async () => {
    expect(await list()).toEqual({ data: [], total: 0, page: 1, limit: 10, totalPages: 0 });
  });

  test('23 records › pages of 10 by default, the newest first, never overlapping', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 23; n++) ids.push(await create());
    const pages = [await list(), await list({ page: 2 }), await list({ page: 3 })];
    expect(pages.map(({ data }) => data.length)).toEqual([10, 10, 3]);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids.reverse());
    expect(pages[2]).toMatchObject({ total: 23, page: 3, limit: 10, totalPages: 3 });
  });

  test('a page past the end › is empty with the right total, however far', async () => {
    await create();
    for (const page of [2, 1_000_000, 90_000_000_000_000]) {
      expect(await list({ page })).toEqual({ data: [], total: 1, page, limit: 10, totalPages: 1 });
    }
    expect((await list({ page: '99999999999999999999' })).data).toEqual([]);
  });

  test('a limit above 100 › counts as 100, and the envelope says so', async () => {
    await create();
    for (const limit of ['101', '1000000', '99999999999999999999']) {
      expect(await list({ limit })).toMatchObject({ limit: 100, total: 1, totalPages: 1 });
    }
    expect(await list({ limit: 100 })).toMatchObject({ limit: 100 });
  });

  test('many items › do not shorten the page', async () => {
    const items = Array.from({ length: 40 }, () => ({ description: 'x', quantity: 1, unitPrice: '1.00' }));
    const ids = [await create({ items }), await create({ items }), await create({ items })];
    const page = await list({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(page).toMatchObject({ total: 3, totalPages: 2 });
  });
});

describe('GET /api/invoices › sorting', () => {
  const fields = ['id', 'invoiceNumber', 'status', 'issueDate', 'dueDate', 'total', 'createdAt', 'updatedAt', 'paidAt'];

  beforeEach(async () => {
    const price = (unitPrice: string): object => ({ items: [{ description: 'x', quantity: 1, unitPrice }] });
    await create({ ...price('9.00'), issueDate: '2026-01-10', dueDate: '2026-03-01', status: 'paid' });
    await create({ ...price('10.00'), issueDate: '2025-12-31', dueDate: '2026-02-01', invoiceNumber: 'Z' });
    await create({ ...price('10.00'), issueDate: '2026-01-10', dueDate: '2026-02-01', invoiceNumber: 'a' });
    await create({ ...price('100.00'), issueDate: '2026-01-11', dueDate: '2026-04-01', status: 'paid' });
  });

  test.each(fields)('by %s › in order, ties by id, and descending is the exact reverse', async (sortBy) => {
    const { data } = await list({ sortBy, sortOrder: 'asc' });
    const key = (record: Page['data'][number]): string | number => {
      const value = sortBy === 'total' ? Number(record[sortBy]) : record[sortBy];
      return value ?? '';
    };
    const expected = [...data].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id));
    expect(data.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(await idsOf({ sortBy, sortOrder: 'desc' })).toEqual(expected.map(({ id }) => id).reverse());
    expect(await idsOf({ sortBy })).toEqual(expected.map(({ id }) => id).reverse());
  });

  test.each(fields)('by %s, one record a page › every record once', async (sortBy) => {
    const ids = (await Promise.all([1, 2, 3, 4].map((page) => idsOf({ sortBy, page, limit: 1 })))).flat();
    expect(ids).toEqual(await idsOf({ sortBy }));
    expect(new Set(ids).size).toBe(4);
  });
});

describe('GET /api/invoices › filters', () => {
  test('status › each alone, and all is every one', async () => {
    const statuses = ['draft', 'sent', 'paid', 'overdue', 'cancelled'];
    for (const status of statuses) await create({ status, invoiceNumber: status });
    for (const status of statuses) {
      expect(await numbersOf({ status })).toEqual([status]);
      expect(await list({ status })).toMatchObject({ total: 1, totalPages: 1 });
    }
    expect(await list({ status: 'all' })).toMatchObject({ total: 5 });
  });

  test('client, currency and dates, from and to included › narrow data and total alike', async () => {
    const other = (await createClient(api.services, companyId)).id;
    await create({ invoiceNumber: 'a', issueDate: '2026-01-01', dueDate: '2026-01-31' });
    await create({ invoiceNumber: 'b', issueDate: '2026-01-02', dueDate: '2026-02-01', currency: 'USD' });
    await create({ invoiceNumber: 'c', issueDate: '2026-01-03', dueDate: '2026-02-02', clientId: other });
    const cases: [object, string[]][] = [
      [{ clientId }, ['a', 'b']],
      [{ clientId: other }, ['c']],
      [{ clientId: 2 ** 50 }, []],
      [{ currency: 'USD' }, ['b']],
      [{ issueDateFrom: '2026-01-02' }, ['b', 'c']],
      [{ issueDateTo: '2026-01-02' }, ['a', 'b']],
      [{ issueDateFrom: '2026-01-02T00:00:00.000Z', issueDateTo: '2026-01-02' }, ['b']],
      [{ dueDateFrom: '2026-02-01' }, ['b', 'c']],
      [{ dueDateTo: '2026-02-01' }, ['a', 'b']],
      [{ issueDateFrom: '2026-01-03', issueDateTo: '2026-01-01' }, []],
      [{ clientId, currency: 'USD', status: 'draft', search: 'b', dueDateFrom: '2026-02-01' }, ['b']],
    ];
    for (const [query, expected] of cases) {
      expect([query, await numbersOf(query)]).toEqual([query, expected]);
      expect(await list(query)).toMatchObject({ total: expected.length });
    }
  });

  test('deleted ones › only with includeDeleted, in data and total alike', async () => {
    const gone = await create({ invoiceNumber: 'gone', status: 'sent' });
    await create({ invoiceNumber: 'here', status: 'sent' });
    await caller.delete(`/api/invoices/${gone}`).expect(200);
    for (const query of [{}, { status: 'sent' }, { clientId }, { search: 'e' }]) {
      expect(await list(query)).toMatchObject({ total: 1, data: [{ invoiceNumber: 'here', softDelete: false }] });
      const all = await list({ ...query, includeDeleted: 'true', sortBy: 'id', sortOrder: 'asc' });
      expect(all).toMatchObject({ total: 2, data: [{ softDelete: true }, { softDelete: false }] });
    }
    expect(await list({ includeDeleted: 'false' })).toMatchObject({ total: 1 });
  });

  test('empty parameters › count as absent', async () => {
    await create();
    const empty = {
      page: '',
      limit: '',
      sortBy: '',
      sortOrder: '',
      status: '',
      search: '',
      clientId: '',
      currency: '',
    };
    const dates = { issueDateFrom: '', issueDateTo: '', dueDateFrom: '', dueDateTo: '', includeDeleted: '' };
    expect(await list({ ...empty, ...dates })).toEqual(await list());
  });

  test.each([
    ['page', '0'],
    ['page', '-1'],
    ['page', '1.5'],
    ['page', 'one'],
    ['limit', '0'],
    ['limit', '-5'],
    ['limit', 'Infinity'],
    ['limit', '1e1'],
    ['page', '0x10'],
    ['page', '+1'],
    ['includeDeleted', '1'],
    ['sortBy', 'notes'],
    ['sortBy', 'id;DROP TABLE invoices'],
    ['sortOrder', 'ASC'],
    ['status', 'open'],
    ['clientId', 'x'],
    ['currency', 'rupiah'],
    ['issueDateFrom', '2026-02-30'],
    ['dueDateTo', '2026-01-01T12:00:00Z'],
    ['includeDeleted', 'yes'],
    ['search', 'a\u0000'],
    ['search', 'x'.repeat(256)],
  ])('%s=%j › 400 naming the parameter', async (name, value) => {
    const response = await caller
      .get('/api/invoices')
      .query({ [name]: value })
      .expect(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ path: name }] });
  });

  test('a parameter given twice › 400', async () => {
    await caller.get('/api/invoices?status=draft&status=paid').expect(400);
  });
});

describe('GET /api/invoices › search', () => {
  test('part of the number or of the client’s name, without case and accents › is found', async () => {
    const josé = (await createClient(api.services, companyId, { name: 'José Núñez & Søn' })).id;
    await create({ invoiceNumber: 'ÄB-1' });
    await create({ invoiceNumber: 'CD-2', clientId: josé });
    const cases: [string, string[]][] = [
      ['ÄB-1', ['ÄB-1']],
      ['ab-', ['ÄB-1']],
      ['D-2', ['CD-2']],
      ['jose', ['CD-2']],
      ['NUNEZ &', ['CD-2']],
      ['é N', ['CD-2']],
      ['budi', ['ÄB-1']],
      ['d', ['CD-2', 'ÄB-1']],
      ['Thank you', []],
      ['x', []],
    ];
    for (const [search, expected] of cases) {
      expect([search, await numbersOf({ search })]).toEqual([search, [...expected].sort()]);
    }
  });

  test.each(['%', '_', '!', '\\', "'", '"', '*', '.', '!%', '%%', '\\%', '🧾'])(
    'the characters %s › are ordinary ones',
    async (search) => {
      await create({ invoiceNumber: 'plain' });
      await create({ invoiceNumber: `with${search}in` });
      expect(await numbersOf({ search })).toEqual([`with${search}in`]);
      expect(await list({ search })).toMatchObject({ total: 1 });
    },
  );

  test('a deleted client’s name › still finds its invoices', async () => {
    await create({ invoiceNumber: 'old' });
    await api.services.sql.run('UPDATE clients SET softDelete = 1 WHERE companyId = ? AND id = ?', [
      companyId,
      clientId,
    ]);
    expect(await numbersOf({ search: 'Budi' })).toEqual(['old']);
  });
});
