import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let mine: Caller;
let myId: number;
let theirId: number;
let theirInvoice: number;
let theirClient: number;
let theirs: Caller;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const [me, them] = [await createCompany(api.services), await createCompany(api.services)];
  [mine, theirs, myId, theirId] = [api.as(me.token), api.as(them.token), me.companyId, them.companyId];
  theirClient = (await createClient(api.services, theirId, { name: 'Their secret' })).id;
  theirInvoice = (await createInvoice(api.services, theirId, { clientId: theirClient })).id;
});

describe('another company’s invoice', () => {
  const requests = [
    ['get', ''],
    ['put', ''],
    ['delete', ''],
    ['get', '/pdf'],
    ['get', '?includeDeleted=true'],
    ['get', '/emails'],
    ['get', '/timeline'],
    ['get', '/emails?includeDeleted=true'],
    ['post', '/send-email'],
    ['post', '/create-gateway-invoice'],
  ] as const;

  test.each(requests)(
    '%s /api/invoices/{id}%s › gets the response of one that does not exist',
    async (method, rest) => {
      const responseTo = async (id: number): Promise<unknown> => {
        const { status, body } = await mine[method](`/api/invoices/${id}${rest}`).set('X-Request-Id', 'x');
        return [status, body];
      };
      expect(await responseTo(theirInvoice)).toEqual(await responseTo(999_999));
      expect(await responseTo(theirInvoice)).toMatchObject([404, {}]);
      expect((await theirs.get(`/api/invoices/${theirInvoice}`).expect(200)).body).toMatchObject({ status: 'draft' });
    },
  );

  test('lists, filters and searches › never show it', async () => {
    await createInvoice(api.services, myId);
    for (const query of [{}, { includeDeleted: true }, { limit: 100 }, { status: 'draft' }]) {
      const { body } = await mine.get('/api/invoices').query(query).expect(200);
      expect(body).toMatchObject({ total: 1, data: [{ companyId: myId }] });
    }
    for (const query of [{ clientId: theirClient }, { search: 'Their secret' }]) {
      expect((await mine.get('/api/invoices').query(query)).body).toMatchObject({ total: 0, data: [] });
    }
  });

  test('its job › gets the response of one that does not exist', async () => {
    const { headers } = await theirs
      .post(`/api/invoices/${theirInvoice}/send-email`)
      .set('Prefer', 'respond-async')
      .expect(202);
    await theirs.get(headers['location'] ?? '').expect(200);
    await mine.get(headers['location'] ?? '').expect(404);
  });

  test('an old version tag › reveals nothing: 404 before 412', async () => {
    await mine.put(`/api/invoices/${theirInvoice}`).set('If-Match', '"x"').send({}).expect(404);
  });
});

describe('another company’s client', () => {
  test('on create and update › 400 as one that does not exist', async () => {
    const own = await createInvoice(api.services, myId);
    const responses = [];
    for (const clientId of [theirClient, 999_999]) {
      const created = await mine
        .post('/api/invoices')
        .set('X-Request-Id', 'x')
        .send(invoiceInput(clientId))
        .expect(400);
      const updated = await mine.put(`/api/invoices/${own.id}`).set('X-Request-Id', 'x').send({ clientId }).expect(400);
      responses.push([created.body, updated.body]);
    }
    expect(responses[0]).toEqual(responses[1]);
  });

  test('in the database › a foreign key holds it too', async () => {
    const own = await createInvoice(api.services, myId);
    const moved = api.services.sql.run('UPDATE invoices SET clientId = ? WHERE companyId = ? AND id = ?', [
      theirClient,
      myId,
      own.id,
    ]);
    await expect(moved).rejects.toMatchObject({ code: 'ER_NO_REFERENCED_ROW_2' });
  });
});

test('companyId in a body › is ignored, and in a query refused', async () => {
  const { id: clientId } = await createClient(api.services, myId);
  await mine.get(`/api/invoices?companyId=${theirId}`).expect(400);
  const { body } = await mine
    .post('/api/invoices')
    .send({ ...invoiceInput(clientId), companyId: theirId })
    .expect(201);
  expect(body).toMatchObject({ companyId: myId });
});
