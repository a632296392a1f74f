import { createCategory, createClient, createCompany, expenseInput, invoiceInput } from '../../support/factories';
import { plansOf } from '../../support/plans';
import { nothingIsDue, runAllSchedules, SetClock } from '../../support/schedules';
import { type Caller, startApi, type TestApi } from '../../support/server';
import { Statements } from '../../support/statements';
import { invoiceList } from '../../../shared/invoices';
import { expenseList } from '../../../shared/expenses';

let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;
let categoryId: number;

beforeAll(async () => {
  api = await startApi({ clock: new SetClock('2026-01-10T05:00:00Z') });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId)).id;
  categoryId = (await createCategory(api.services, companyId)).id;
});

interface Kind {
  path: string;
  body: (changes?: object) => object;
}
const invoices: Kind = { path: '/api/invoices', body: (changes) => ({ ...invoiceInput(clientId), ...changes }) };
const expenses: Kind = { path: '/api/expenses', body: (changes) => ({ ...expenseInput(categoryId), ...changes }) };

async function create({ path, body }: Kind, changes?: object): Promise<number> {
  return ((await caller.post(path).send(body(changes)).expect(201)).body as { id: number }).id;
}
const none = {
  externalId: null,
  purchaseOrder: null,
  buyerReference: null,
  servicePeriod: null,
  paymentTerms: null,
  metadata: {},
};
const all = {
  externalId: 'order 17/€',
  purchaseOrder: 'PO-4711',
  buyerReference: '04011000-12345-03',
  servicePeriod: { from: '2026-01-01', to: '2026-01-31' },
  paymentTerms: 'Net 30.\n2 % discount within 10 days.',
  metadata: { project: 'P-17', 'cost.center': '' },
};

describe('the details of an invoice', () => {
  test('none were given › all are null, and metadata is empty, under the entity tag of the invoice', async () => {
    const id = await create(invoices);
    const response = await caller.get(`/api/invoices/${id}/details`).expect(200);
    expect(response.body).toEqual(none);
    const { headers } = await caller.get(`/api/invoices/${id}`).expect(200);
    expect(response.headers.etag).toBe(headers.etag);
  });

  test('given with the create › are kept, and its response is that of any invoice', async () => {
    const plain = await caller.post('/api/invoices').send(invoices.body()).expect(201);
    const made = await caller
      .post('/api/invoices')
      .send(invoices.body({ details: all }))
      .expect(201);
    expect(Object.keys(made.body as object)).toEqual(Object.keys(plain.body as object));
    const { id } = made.body as { id: number };
    expect((await caller.get(`/api/invoices/${id}/details`).expect(200)).body).toEqual(all);
  });

  test('PUT › changes what it names, and what it returned can be PUT back', async () => {
    const id = await create(invoices, { details: all });
    const path = `/api/invoices/${id}/details`;
    const changed = await caller.put(path).send({ purchaseOrder: null, servicePeriod: null }).expect(200);
    expect(changed.body).toEqual({ ...all, purchaseOrder: null, servicePeriod: null });
    expect(
      (
        await caller
          .put(path)
          .send(changed.body as object)
          .expect(200)
      ).body,
    ).toEqual(changed.body);
    expect((await caller.get(path).expect(200)).body).toEqual(changed.body);
  });

  test('metadata › its keys are merged, and one given as null is removed', async () => {
    const id = await create(invoices, { details: { metadata: { a: '1', b: '2', gone: null } } });
    const { body } = await caller
      .put(`/api/invoices/${id}/details`)
      .send({ metadata: { a: null, b: '3', __proto__x: '4' } })
      .expect(200);
    expect((body as typeof all).metadata).toEqual({ b: '3', __proto__x: '4' });
  });

  test('If-Match › is that of the invoice, whose version each change raises', async () => {
    const id = await create(invoices);
    const path = `/api/invoices/${id}/details`;
    const { headers } = await caller.get(`/api/invoices/${id}`).expect(200);
    const tag = headers.etag as string;
    const changed = await caller.put(path).set('If-Match', tag).send({ purchaseOrder: 'PO-1' }).expect(200);
    expect(changed.headers.etag).not.toBe(tag);
    expect((await caller.get(`/api/invoices/${id}`)).headers.etag).toBe(changed.headers.etag);
    await caller.put(path).set('If-Match', tag).send({ purchaseOrder: 'PO-2' }).expect(412);
    expect((await caller.get(path)).body).toEqual({ ...none, purchaseOrder: 'PO-1' });
  });

  test('the event › names what changed, and has none of the values but the external id', async () => {
    const id = await create(invoices, { details: { purchaseOrder: 'same' } });
    const change = { purchaseOrder: 'same', externalId: 'order-17', metadata: { note: 'secret' } };
    await caller.put(`/api/invoices/${id}/details`).send(change).expect(200);
    const [event] = await api.services.sql.rows<{ data: string }>(
      "SELECT data FROM events WHERE companyId = ? AND type = 'invoice.updated'",
      [companyId],
    );
    expect(JSON.parse(event?.data ?? '')).toMatchObject({
      ...{ changed: { externalId: 'replaced', metadata: 'replaced' }, externalId: 'order-17' },
    });
    const stored = await api.services.sql.rows('SELECT data FROM events WHERE companyId = ?', [companyId]);
    expect(JSON.stringify(stored)).not.toContain('secret');
  });

  test.each([
    [{ externalId: '' }, 'externalId'],
    [{ externalId: 'x'.repeat(101) }, 'externalId'],
    [{ externalId: 'two\nlines' }, 'externalId'],
    [{ purchaseOrder: 'two\nlines' }, 'purchaseOrder'],
    [{ buyerReference: 'x'.repeat(101) }, 'buyerReference'],
    [{ paymentTerms: 'x'.repeat(501) }, 'paymentTerms'],
    [{ servicePeriod: { from: '2026-02-01', to: '2026-01-31' } }, 'servicePeriod/to'],
    [{ servicePeriod: { from: '2026-02-30', to: '2026-03-31' } }, 'servicePeriod/from'],
    [{ servicePeriod: { from: '2026-02-01' } }, 'servicePeriod/to'],
    [{ metadata: null }, 'metadata'],
    [{ metadata: { 'no spaces': 'x' } }, 'metadata'],
    [{ metadata: { ['x'.repeat(41)]: 'x' } }, 'metadata'],
    [{ metadata: { number: 1 } }, 'metadata/number'],
    [{ metadata: { long: 'x'.repeat(501) } }, 'metadata/long'],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }, 'metadata'],
    [{ metadata: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`k${n}`, null])) }, 'metadata'],
    [{ other: 1 }, 'other'],
  ])('%j › 400, with a create too', async (changes, path) => {
    const id = await create(invoices);
    const refused = await caller.put(`/api/invoices/${id}/details`).send(changes).expect(400);
    expect((refused.body as { errors: object[] }).errors).toEqual([expect.objectContaining({ path })]);
    const body = invoices.body({ details: changes });
    const refusedToo = await caller.post('/api/invoices').send(body).expect(400);
    expect((refusedToo.body as { errors: object[] }).errors).toEqual([
      expect.objectContaining({ path: `details/${path}` }),
    ]);
  });
});

describe.each<[string, Kind]>([
  ['invoices', invoices],
  ['expenses', expenses],
])('the details of %s', (table, kind) => {
  const externalId = 'Order-1';

  test('an external id › is taken within the company for ever, and free in another', async () => {
    const id = await create(kind, { details: { externalId } });
    await caller.delete(`${kind.path}/${id}`).expect(200);
    const body = kind.body({ details: { externalId } });
    const refused = await caller.post(kind.path).send(body).expect(409);
    expect(refused.body).toMatchObject({ code: 'external_id_taken' });
    const other = await create(kind, { details: { externalId: 'order-1' } });
    const put = await caller.put(`${kind.path}/${other}/details`).send({ externalId }).expect(409);
    expect(put.body).toMatchObject({ code: 'external_id_taken' });
    expect((await caller.get(`${kind.path}/${other}/details`)).body).toMatchObject({ externalId: 'order-1' });
    const company = await createCompany(api.services);
    const [theirs, category] = [
      await createClient(api.services, company.companyId),
      await createCategory(api.services, company.companyId),
    ];
    const references = table === 'invoices' ? { clientId: theirs.id } : { categoryId: category.id };
    await api
      .as(company.token)
      .post(kind.path)
      .send({ ...body, ...references })
      .expect(201);
  });

  test('concurrent creates with one external id › one is created', async () => {
    const send = () => caller.post(kind.path).send(kind.body({ details: { externalId } }));
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409]);
  });

  test('?externalId= › finds the record exactly, a deleted one with includeDeleted', async () => {
    const id = await create(kind, { details: { externalId } });
    await create(kind, { details: { externalId: 'Order-10' } });
    const found = async (query: string): Promise<number[]> => {
      const { body } = await caller.get(`${kind.path}?${query}`).expect(200);
      return (body as { data: { id: number }[] }).data.map((one) => one.id);
    };
    expect(await found('externalId=Order-1')).toEqual([id]);
    expect(await found('externalId=order-1')).toEqual([]);
    expect(await found('externalId=Order-1%20')).toEqual([]);
    await caller.delete(`${kind.path}/${id}`).expect(200);
    expect(await found('externalId=Order-1')).toEqual([]);
    expect(await found('externalId=Order-1&includeDeleted=true')).toEqual([id]);
  });

  test("another company's and a deleted record › 404", async () => {
    const id = await create(kind);
    const other = api.as((await createCompany(api.services)).token);
    for (const method of ['get', 'put'] as const) await other[method](`${kind.path}/${id}/details`).expect(404);
    await caller.delete(`${kind.path}/${id}`).expect(200);
    await caller.get(`${kind.path}/${id}/details`).expect(404);
    await caller.get(`${kind.path}/${id}/details?includeDeleted=true`).expect(200);
    await caller.put(`${kind.path}/${id}/details`).send({ externalId }).expect(404);
  });

  test('a record without details › no statement names them when it is created, read and listed', async () => {
    const statements = new Statements(api.services);
    const sent = await statements.of(async () => {
      const id = await create(kind);
      await caller.get(`${kind.path}/${id}`).expect(200);
      await caller.get(kind.path).expect(200);
    });
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((text) => /_details/.test(text))).toEqual([]);
  });
});

test('?externalId= › is looked up by its key, in a list of any length', async () => {
  const { sql } = api.services;
  const id = await create(invoices, { details: { externalId: 'one' } });
  const expenseId = await create(expenses, { details: { externalId: 'one' } });
  for (const [table, of, columns] of [
    [
      'invoice',
      id,
      'clientId, invoiceNumber, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency',
    ],
    ['expense', expenseId, 'categoryId, vendor, description, amount, currency, expenseDate, status'],
  ] as const) {
    const all = `companyId, ${columns}, recurring, softDelete, createdAt, updatedAt`;
    for (let made = 1; made < 2_000; made *= 2) {
      await sql.run(`INSERT INTO ${table}s (${all}) SELECT ${all} FROM ${table}s WHERE companyId = ? AND id >= ?`, [
        ...[companyId, of],
      ]);
    }
    await sql.run(
      `INSERT IGNORE INTO ${table}_details (companyId, ${table}Id, externalId, metadata)
        SELECT companyId, id, CONCAT('x', id), '{}' FROM ${table}s WHERE companyId = ?`,
      [companyId],
    );
    await sql.rows(`ANALYZE TABLE ${table}s, ${table}_details`);
  }
  const request = { page: 1, limit: 10, sortOrder: 'desc', status: 'all', externalId: 'one' } as const;
  const plans = await plansOf(sql, async (explained) => {
    await invoiceList.read(explained, companyId, { ...request, sortBy: 'createdAt' });
    await expenseList.read(explained, companyId, { ...request, sortBy: 'expenseDate' });
  });
  for (const plan of plans) {
    const details = plan.filter(({ key }) => key?.endsWith('_details_external'));
    expect(details.length).toBeGreaterThan(0);
    expect(plan.filter(({ rows }) => Number(rows) > 20)).toEqual([]);
  }
});

test('occurrences › take over what does not name one record or its time', async () => {
  await nothingIsDue(api.services);
  const recurring = 'monthly';
  const dates = { issueDate: '2026-01-15', dueDate: '2026-01-20' };
  const series = await create(invoices, { recurring, ...dates, details: all });
  const spent = { expenseDate: '2026-01-15', details: { externalId: 'e', metadata: { a: 'b' } } };
  const expense = await create(expenses, { recurring, ...spent });
  await create(expenses, { recurring, expenseDate: '2026-01-15' });
  await runAllSchedules(api.services, { asOf: '2026-03-20' });
  const detailsOf = async (path: string, id: number): Promise<object[]> => {
    const { body } = await caller.get(`${path}/${id}/occurrences`).expect(200);
    const ids = (body as { data: { id: number }[] }).data.map((one) => one.id);
    return Promise.all(ids.map(async (one) => (await caller.get(`${path}/${one}/details`)).body as object));
  };
  const copied = { ...all, externalId: null, servicePeriod: null };
  expect(await detailsOf('/api/invoices', series)).toEqual([copied, copied]);
  const spentAgain = { externalId: null, metadata: { a: 'b' } };
  expect(await detailsOf('/api/expenses', expense)).toEqual([spentAgain, spentAgain]);
});
