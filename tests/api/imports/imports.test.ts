import { insertRows } from '../../../shared/engine/db';
import { createCategory, createCompany, createKey } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

const MIB = 1024 * 1024;
const send = (file: string | Buffer, fields: Record<string, string> = {}, as = caller) => {
  const request = as.post('/api/imports');
  for (const [name, text] of Object.entries({ type: 'clients', ...fields })) request.field(name, text);
  return request.attach('file', Buffer.from(file as string), 'clients.csv');
};
const jobs = () => api.services.sql.rows('SELECT id FROM jobs WHERE companyId = ?', [companyId]);
const stored = () =>
  api.services.sql.rows<{ size: number }>("SELECT size FROM stored_files WHERE companyId = ? AND kind = 'import'", [
    companyId,
  ]);

describe('a request to import', () => {
  test('responds with 202, its address and the number of rows, and records a job', async () => {
    const { body, headers } = await send('name,email\nAcme,a@acme.example\nBeta,\n').expect(202);
    const { id, createdAt } = body as { id: number; createdAt: string };
    const counts = { rows: 2, created: 0, unchanged: 0, failed: 0 };
    expect(body).toEqual({ id, type: 'clients', status: 'queued', dryRun: false, ...counts, createdAt, endedAt: null });
    expect(headers.location).toBe(`/api/imports/${id}`);
    expect((await caller.get(`/api/imports/${id}`).expect(200)).body).toEqual(body);
    const list = await caller.get('/api/imports').expect(200);
    expect(list.body).toEqual({ data: [body], total: 1, page: 1, limit: 10, totalPages: 1 });
    expect(await jobs()).toHaveLength(1);
  });

  test('takes dryRun, and refuses a field that is not known or is given twice', async () => {
    const { body } = await send('name\nAcme\n', { dryRun: 'true' }).expect(202);
    expect(body).toMatchObject({ dryRun: true });
    const unknown = await send('name\nAcme\n', { dryrun: 'true' }).expect(400);
    expect(unknown.body).toMatchObject({ detail: expect.stringContaining('Did you mean dryRun?') as string });
    await send('name\nAcme\n').field('type', 'clients').expect(400);
    const long = await send('name\nAcme\n', { dryRun: 'x'.repeat(2_000) }).expect(400);
    expect(long.body).toMatchObject({ errors: [{ path: 'dryRun', message: 'must have at most 1024 bytes' }] });
  });

  test.each([
    ['without a type', {}, 'type'],
    ['of another type', { type: 'invoices' }, 'type'],
    ['with a dryRun that is neither true nor false', { type: 'clients', dryRun: 'maybe' }, 'dryRun'],
  ])('%s is refused, naming the field', async (_, fields, path) => {
    const request = caller.post('/api/imports').attach('file', Buffer.from('name\nAcme\n'), 'a.csv');
    for (const [name, text] of Object.entries(fields)) request.field(name, text);
    const { body } = await request.expect(400);
    expect(body).toMatchObject({ errors: [{ path }] });
  });

  test('under an Idempotency-Key happens once; with another field it is another request', async () => {
    const once = () => send('name\nAcme\n').set('Idempotency-Key', 'import-1');
    const first = await once().expect(202);
    expect((await once().expect(202)).text).toBe(first.text);
    await send('name\nAcme\n', { dryRun: 'true' }).set('Idempotency-Key', 'import-1').expect(422);
    expect(await jobs()).toHaveLength(1);
  });

  test('needs the scope write, and reading needs read', async () => {
    const { token } = await createKey(api.services, companyId, { scopes: ['read'] });
    await send('name\nAcme\n', {}, api.as(token)).expect(403);
    await api.as(token).get('/api/imports').expect(200);
  });
});

describe('a file that cannot be imported is refused immediately, with its line:', () => {
  const header = 'name,email';
  test.each([
    ['an empty first line', ',\n', 'line 1 must have the names of the columns'],
    [
      'a column that is not known',
      'nam,email\nAcme,\n',
      'line 1 names a column "nam" that is not known. Did you mean name?',
    ],
    [
      'a name that every object has',
      'name,constructor\nAcme,\n',
      'line 1 names a column "constructor" that is not known. ',
    ],
    ['a column twice', 'name,name\nAcme,\n', 'line 1 names the column name twice'],
    ['no column that is needed', 'email\na@b.example\n', 'line 1 must name a column name'],
    ['1,000 columns', `${Array(1_000).fill('name').join(',')}\n`, 'line 1 has 1000 columns: a file can have 100'],
    ['a quote that is not closed', `${header}\nA,\n"B,\n`, 'line 3 has a quote that is not closed'],
    ['a quote within a cell', `${header}\nA"B,\n`, 'line 2 has a quote within a cell that does not begin with one'],
    ['a cell of 5 MiB', `${header}\nA,\n${'x'.repeat(5 * MIB)},\n`, 'line 3 begins a record of more than 128 KiB'],
    ['Latin-1', Buffer.from(`${header}\nMüller,\n`, 'latin1'), 'line 2 is not UTF-8'],
    [
      '50,001 empty lines',
      `${header}\n${',\n'.repeat(50_001)}`,
      'line 50002 is empty, as are more than 50000 lines of the file',
    ],
    ['50,001 rows', `${header}\n${'A,\n'.repeat(50_001)}`, 'line 50002 is row 50001: a file can have 50000'],
  ])('%s', async (_, file, problem) => {
    const { body } = await send(file).expect(400);
    expect(body).toMatchObject({
      errors: [{ path: 'file', message: expect.stringContaining(`cannot be read: ${problem}`) as string }],
    });
    expect([await jobs(), await stored()]).toEqual([[], []]);
  });

  test('no file, and one of more than 10 MiB', async () => {
    await caller.post('/api/imports').field('type', 'clients').expect(400);
    await send(Buffer.alloc(10 * MIB + 1, 'name\n')).expect(413);
  });

  test('50,000 rows are taken, and a file with names alone', async () => {
    expect((await send(`name\n${'A\n'.repeat(50_000)}`).expect(202)).body).toMatchObject({ rows: 50_000 });
    expect((await send('name\n').expect(202)).body).toMatchObject({ rows: 0 });
  });

  test('the names of columns of expenses, of which one names the category', async () => {
    const { body } = await send('vendor,amount,expenseDate\nA,1,2026-01-31\n', { type: 'expenses' }).expect(400);
    expect(body).toMatchObject({
      detail: expect.stringContaining('line 1 must name a column category or categoryId or category.name') as string,
    });
  });
});

describe('the imports of a company', () => {
  test('that are not done are at most 10; another company has its own', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => send('name\nAcme\n')));
    expect(all.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(202), 409, 409]);
    const refused = all.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      code: 'limit_reached',
      detail: expect.stringContaining('10 imports') as string,
    });
    await send('name\nAcme\n', {}, api.as((await createCompany(api.services)).token)).expect(202);
  });

  test('are not there for another company, nor are their errors', async () => {
    const { id } = (await send('name\nAcme\n').expect(202)).body as { id: number };
    const other = api.as((await createCompany(api.services)).token);
    await other.get(`/api/imports/${id}`).expect(404);
    await other.get(`/api/imports/${id}/errors`).expect(404);
    await other.get(`/api/imports/${id}/errors`).set('Accept', 'text/csv').expect(404);
    expect((await other.get('/api/imports').expect(200)).body).toMatchObject({ total: 0 });
  });

  test('are at most 1,000: a new one takes the place of the oldest that has ended, with its errors', async () => {
    const { sql } = api.services;
    const at = new Date();
    const ended = { companyId, type: 'clients', status: 'done', dryRun: false, fileId: 1, rowCount: 1 };
    const row = { ...ended, createdAt: at, updatedAt: at, endedAt: at };
    const { id: unfinished } = (await send('name\nAcme\n').expect(202)).body as { id: number };
    await insertRows(sql, 'imports', Array<typeof row>(1_000).fill(row));
    const [oldest] = await sql.rows<{ id: number }>(
      'SELECT MIN(id) AS id FROM imports WHERE companyId = ? AND id > ?',
      [companyId, unfinished],
    );
    await insertRows(sql, 'import_errors', [
      { companyId, importId: oldest?.id ?? 0, line: 1, field: 'name', message: 'is required' },
    ]);
    await send('name\nBeta\n').expect(202);
    await caller.get(`/api/imports/${oldest?.id}`).expect(404);
    expect(await sql.rows('SELECT id FROM import_errors WHERE companyId = ?', [companyId])).toEqual([]);
    await caller.get(`/api/imports/${unfinished}`).expect(200);
    await caller.get(`/api/imports/${(oldest?.id ?? 0) + 2}`).expect(200);
  });

  test('count with their files towards RECEIPTS_QUOTA_MB', async () => {
    const full = await startApi({ env: { RECEIPTS_QUOTA_MB: '1' } });
    const company = await createCompany(full.services);
    const file = `name\n`.padEnd(600 * 1024, `${'A'.repeat(99)}\n`);
    await send(file, {}, full.as(company.token)).expect(202);
    const { body } = await send(file, {}, full.as(company.token)).expect(409);
    expect(body).toMatchObject({ code: 'limit_reached', detail: expect.stringContaining('1 MiB') as string });
  });
});

test('a CSV of expenses is a file to import', async () => {
  const { id: categoryId } = await createCategory(api.services, companyId, 'Travel');
  const expense = { categoryId, vendor: '=Acme', amount: 12.5, expenseDate: '2026-01-31', description: "'-1\nline" };
  await caller.post('/api/expenses').send(expense).expect(201);
  const { text } = await caller.get('/api/expenses').set('Accept', 'text/csv').expect(200);
  expect((await send(text, { type: 'expenses' }).expect(202)).body).toMatchObject({ rows: 1 });
});
