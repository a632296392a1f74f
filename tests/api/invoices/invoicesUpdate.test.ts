import { Client, Company } from '../../../shared/models';
import { loadInvoiceDocument } from '../../../shared/invoiceDocuments/loadInvoiceDocument';
import { createClient, createCompany, createInvoice, createKey } from '../../support/factories';
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
  clientId = (await createClient(api.services, companyId)).id;
});

type Body = Record<string, unknown> & { id: number; updatedAt: string; items: { id: number }[] };

const create = async (changes: object = {}): Promise<number> =>
  (await createInvoice(api.services, companyId, { clientId, ...changes })).id;
const get = async (id: number): Promise<Body> => (await caller.get(`/api/invoices/${id}`).expect(200)).body as Body;
const put = async (id: number, changes: object): Promise<Body> =>
  (await caller.put(`/api/invoices/${id}`).send(changes).expect(200)).body as Body;

describe('PUT /api/invoices/{id} › what changes', () => {
  test('what GET returned, put back › changes nothing but updatedAt and the ids of items', async () => {
    const id = await create({ status: 'paid', recurring: 'weekly', nextDueDate: '2026-03-01', taxRate: '8.25' });
    const before = await get(id);
    const after = await put(id, before);
    expect(after).toEqual({
      ...before,
      updatedAt: expect.any(String) as string,
      items: before.items.map((item) => ({ ...item, id: expect.any(Number) as number })),
    });
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test('what the list returned, put back › is accepted too', async () => {
    const id = await create();
    const before = await get(id);
    const { body } = await caller.get('/api/invoices').expect(200);
    const after = await put(id, (body as { data: [object] }).data[0]);
    expect({ ...after, updatedAt: '', items: [] }).toEqual({ ...before, updatedAt: '', items: [] });
  });

  test('an invoice whose client was deleted › can be put back, another invoice cannot move to that client', async () => {
    const id = await create();
    const other = await create({ clientId: (await createClient(api.services, companyId)).id });
    await Client.update({ softDelete: true }, { where: { companyId, id: clientId } });
    await put(id, await get(id));
    const response = await caller.put(`/api/invoices/${other}`).send({ clientId }).expect(400);
    expect(response.body).toMatchObject({ errors: [{ path: 'clientId', message: 'is not a client of this company' }] });
  });

  test.each([
    [{ notes: 'new' }, { notes: 'new' }],
    [{ taxRate: 20 }, { taxRate: '20.00', tax: '40.00', total: '240.00' }],
    [{ currency: 'EUR' }, { currency: 'EUR' }],
    [{ issueDate: '2026-02-01' }, { issueDate: '2026-02-01T00:00:00.000Z' }],
    [{ invoiceNumber: 'X' }, { invoiceNumber: 'X' }],
    [{ recurring: 'yearly' }, { recurring: 'yearly', nextDueDate: '2027-01-15' }],
    [{}, {}],
  ])('%j › changes what is supplied, and only that', async (changes, shown) => {
    const id = await create();
    const before = await get(id);
    const after = await put(id, changes);
    expect(after).toEqual({ ...before, ...shown, updatedAt: after.updatedAt });
    expect(await get(id)).toEqual(after);
  });

  test('another client › is shown immediately', async () => {
    const id = await create();
    const other = await createClient(api.services, companyId, { name: 'Other', email: null });
    expect(await put(id, { clientId: other.id })).toMatchObject({
      clientId: other.id,
      client: { id: other.id, name: 'Other', email: null },
    });
  });

  test('updatedAt › grows with every accepted PUT, also within one millisecond, and createdAt stays', async () => {
    const moment = new Date();
    const { token } = await createKey(api.services, companyId);
    const id = await create();
    caller = (await startApi({ clock: { now: () => moment } })).as(token);
    const versions = [await get(id)];
    for (let n = 0; n < 5; n++) versions.push(await put(id, {}));
    const moments = versions.map(({ updatedAt }) => updatedAt);
    expect(moments).toEqual([...new Set(moments)].sort());
    expect(new Set(versions.map(({ createdAt }) => createdAt)).size).toBe(1);
  });

  test('an empty body › is an empty change', async () => {
    const id = await create();
    const before = await get(id);
    const { body } = await caller.put(`/api/invoices/${id}`).expect(200);
    expect((body as Body).updatedAt > before.updatedAt).toBe(true);
  });
});

describe('PUT /api/invoices/{id} › dates across what is stored', () => {
  test.each([
    [{ dueDate: '2026-01-14' }, 400],
    [{ issueDate: '2026-02-15' }, 400],
    [{ dueDate: '2026-01-15' }, 200],
    [{ issueDate: '2026-02-14' }, 200],
    [{ issueDate: '2027-01-01', dueDate: '2027-01-01' }, 200],
    [{ issueDate: '2020-01-01', dueDate: '2020-01-02' }, 200],
  ])('issued on 2026-01-15, due on 2026-02-14 › %j › %s', async (changes, status) => {
    const id = await create();
    const response = await caller.put(`/api/invoices/${id}`).send(changes).expect(status);
    if (status === 400) expect(response.body).toMatchObject({ errors: [{ path: 'dueDate' }] });
  });

  test('a rate that takes the stored items out of bounds › 400', async () => {
    const items = [{ description: 'x', quantity: 1, unitPrice: '9999999999999.99' }];
    const id = await create({ taxRate: 0, items });
    const response = await caller.put(`/api/invoices/${id}`).send({ taxRate: 1 }).expect(400);
    expect(response.body).toMatchObject({ errors: [{ path: 'total' }] });
  });
});

describe('PUT /api/invoices/{id} › status', () => {
  const statuses = ['draft', 'sent', 'paid', 'overdue', 'cancelled'];
  const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

  test.each(moves)('%s › %s › is accepted, and paidAt is there only while it is paid', async (from, to) => {
    const id = await create({ status: from });
    const before = await get(id);
    const after = await put(id, { status: to });
    expect(after.status).toBe(to);
    if (to !== 'paid') expect(after['paidAt']).toBeNull();
    else if (from === 'paid') expect(after['paidAt']).toBe(before['paidAt']);
    else expect(after['paidAt']).toEqual(after.updatedAt);
  });
});

describe('frozen parties', () => {
  const shown = async (id: number): Promise<unknown[]> => {
    const { parties } = await loadInvoiceDocument(api.services, companyId, id);
    return [parties.sender.name, parties.client.name];
  };
  const rename = async (): Promise<void> => {
    await Company.update({ name: 'New sender' }, { where: { id: companyId } });
    await Client.update({ name: 'New client' }, { where: { companyId, id: clientId } });
  };

  test('a draft › shows the company and client of today', async () => {
    const id = await create();
    await rename();
    expect(await shown(id)).toEqual(['New sender', 'New client']);
  });

  test.each(['sent', 'paid', 'overdue', 'cancelled'])(
    'made or becoming %s › shows them as they were',
    async (status) => {
      const ids = [await create({ status }), await create()];
      await put(ids[1] ?? 0, { status });
      const before = await Promise.all(ids.map(shown));
      await rename();
      expect(await Promise.all(ids.map(shown))).toEqual(before);
      const { client } = await get(ids[0] ?? 0);
      expect(client).toMatchObject({ name: 'New client' });
    },
  );

  test('from sent to overdue to paid › what was sent stays; back to draft › today’s again', async () => {
    const id = await create({ status: 'sent' });
    const before = await shown(id);
    await rename();
    for (const status of ['overdue', 'paid', 'cancelled', 'sent']) await put(id, { status });
    expect(await shown(id)).toEqual(before);
    await put(id, { status: 'draft' });
    expect(await shown(id)).toEqual(['New sender', 'New client']);
  });

  test('a sent invoice moved to another client › shows that client', async () => {
    const id = await create({ status: 'sent' });
    const other = await createClient(api.services, companyId, { name: 'Other' });
    await put(id, { clientId: other.id });
    expect((await shown(id))[1]).toBe('Other');
  });
});

describe('versions', () => {
  const etag = async (id: number): Promise<string> =>
    String((await caller.get(`/api/invoices/${id}`).expect(200)).headers['etag']);

  test('If-None-Match with the current tag › 304 without a body; after a change › 200', async () => {
    const id = await create();
    const tag = await etag(id);
    const unchanged = await caller.get(`/api/invoices/${id}`).set('If-None-Match', `"other", ${tag}`).expect(304);
    expect([unchanged.text, unchanged.headers['etag']]).toEqual(['', tag]);
    await put(id, {});
    await caller.get(`/api/invoices/${id}`).set('If-None-Match', tag).expect(200);
  });

  test('a change of the client’s summary › is another version', async () => {
    const id = await create();
    const tag = await etag(id);
    await Client.update(
      { name: 'Renamed', updatedAt: new Date(Date.now() + 1) },
      { where: { companyId, id: clientId } },
    );
    await caller.get(`/api/invoices/${id}`).set('If-None-Match', tag).expect(200);
    await caller.put(`/api/invoices/${id}`).set('If-Match', tag).send({}).expect(412);
  });

  test('create, GET and PUT › have the same tag for the same version', async () => {
    const id = await create();
    const response = await caller.put(`/api/invoices/${id}`).send({ notes: 'x' }).expect(200);
    expect(await etag(id)).toBe(response.headers['etag']);
    await caller
      .put(`/api/invoices/${id}`)
      .set('If-Match', await etag(id))
      .send({})
      .expect(200);
  });

  test('If-Match with an older tag › 412 for PUT and DELETE, and nothing changes', async () => {
    const id = await create();
    const old = await etag(id);
    const now = await put(id, {});
    for (const request of [
      caller.put(`/api/invoices/${id}`).send({ notes: 'x' }),
      caller.delete(`/api/invoices/${id}`),
    ]) {
      const response = await request.set('If-Match', old).expect(412);
      expect(response.body).toMatchObject({ code: 'precondition_failed' });
    }
    expect(await get(id)).toEqual(now);
  });

  test('If-Match with *, or the current tag among others › passes; a weak one never', async () => {
    const id = await create();
    await caller
      .put(`/api/invoices/${id}`)
      .set('If-Match', `W/${await etag(id)}`)
      .send({})
      .expect(412);
    await caller
      .put(`/api/invoices/${id}`)
      .set('If-Match', `"a", ${await etag(id)}`)
      .send({})
      .expect(200);
    await caller.put(`/api/invoices/${id}`).set('If-Match', '*').send({}).expect(200);
    await caller
      .delete(`/api/invoices/${id}`)
      .set('If-Match', await etag(id))
      .expect(200);
  });

  test('ten changes at the same time under one tag › one wins', async () => {
    const id = await create();
    const tag = await etag(id);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        caller
          .put(`/api/invoices/${id}`)
          .set('If-Match', tag)
          .send({ notes: `n${n}` }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  });
});
