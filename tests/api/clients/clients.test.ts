import { Client } from '../../../shared/models';
import { Event } from '../../support/models';
import { createClient, createCompany, createInvoice, createKey, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

interface ClientBody {
  id: number;
  name: string;
  updatedAt: string;
}
interface ListBody {
  data: ClientBody[];
  total: number;
}

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

const names = (body: unknown): string[] => (body as ListBody).data.map(({ name }) => name);

describe('creating a client', () => {
  test('responds with 201 and every field, its address and its entity tag, and writes an event', async () => {
    const given = {
      name: 'Acme Ltd',
      email: 'accounts@acme.example',
      phone: '+62 21 1',
      address: 'Jl. Sudirman 1\nJakarta',
      taxId: '01.234',
      locale: 'id-ID',
      reminders: false,
    };
    const { body, headers } = await caller.post('/api/clients').send(given).expect(201);
    const { id, createdAt, updatedAt } = body as ClientBody & { createdAt: string };
    expect(body).toEqual({ id, companyId, ...given, softDelete: false, createdAt, updatedAt });
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(headers.location).toBe(`/api/clients/${id}`);
    const read = await caller.get(`/api/clients/${id}`).expect(200);
    expect(read.body).toEqual(body);
    expect(read.headers.etag).toBe(headers.etag);
    const event = await Event.findOne({
      where: { companyId, subjectType: 'client', subjectId: id },
      rejectOnEmpty: true,
    });
    expect(event.type).toBe('client.created');
  });

  test('needs only a name; the rest is null, and reminders are on', async () => {
    const { body } = await caller.post('/api/clients').send({ name: 'N' }).expect(201);
    const unset = { email: null, phone: null, address: null, taxId: null, locale: null };
    expect(body).toMatchObject({ ...unset, reminders: true });
  });

  test('takes null for every nullable field and ignores what a response shows', async () => {
    const ignored = { id: 99, companyId: 99, softDelete: true, createdAt: 'x', updatedAt: 1 };
    const nulls = { email: null, phone: null, address: null, taxId: null, locale: null };
    const { body } = await caller
      .post('/api/clients')
      .send({ name: 'N', ...nulls, ...ignored })
      .expect(201);
    expect(body).toMatchObject({ companyId, softDelete: false, ...nulls });
  });

  test.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a null name', { name: null }, 'name'],
    ['reminders that are neither on nor off', { name: 'N', reminders: 'no' }, 'reminders'],
    ['a name of 256 characters', { name: 'n'.repeat(256) }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a number for a name', { name: 1 }, 'name'],
    ['an address without a domain', { name: 'N', email: 'nobody' }, 'email'],
    ['a list of addresses', { name: 'N', email: 'a@b.example, c@d.example' }, 'email'],
    ['a header in an address', { name: 'N', email: 'a@b.example\r\nBcc: c@d.example' }, 'email'],
    ['letters beyond ASCII before the @', { name: 'N', email: 'josé@c.example' }, 'email'],
    ['a NUL in an address', { name: 'N', email: 'a\u0000b@c.example' }, 'email'],
    ['half a surrogate pair in an address', { name: 'N', email: 'a\ud83e@c.example' }, 'email'],
    ['a postal address of 21 lines', { name: 'N', address: Array(21).fill('x').join('\n') }, 'address'],
    ['no language tag', { name: 'N', locale: '!' }, 'locale'],
    ['a field that is not known', { name: 'N', e_mail: 'a@b.example' }, 'e_mail'],
  ])('refuses %s with 400, naming the field', async (_what, given, path) => {
    const { body } = await caller.post('/api/clients').send(given).expect(400);
    expect(body).toMatchObject({ status: 400, code: 'validation_failed' });
    expect((body as { errors: { path: string }[] }).errors.map((error) => error.path)).toContain(path);
  });

  test('says why letters beyond ASCII before the @ are refused', async () => {
    const { body } = await caller.post('/api/clients').send({ name: 'N', email: 'josé@c.example' }).expect(400);
    expect(body).toMatchObject({
      detail: expect.stringMatching(/^email must have only .*ASCII .* because /) as string,
    });
  });

  test('shows an internationalised domain in ASCII everywhere, which is what the format "email" allows', async () => {
    const email = 'info@xn--bcher-kva.example';
    const { body } = await caller.post('/api/clients').send({ name: 'N', email: 'info@bücher.example' }).expect(201);
    expect(body).toMatchObject({ email });
    const path = `/api/clients/${(body as ClientBody).id}`;
    expect((await caller.put(path).send({ email: 'info@BÜCHER.example' }).expect(200)).body).toMatchObject({ email });
    expect(
      (
        await caller
          .put(path)
          .send(body as object)
          .expect(200)
      ).body,
    ).toMatchObject({ email });
    expect((await caller.get('/api/clients').expect(200)).body).toMatchObject({ data: [{ email }] });
  });

  test('under an Idempotency-Key happens once', async () => {
    const create = () => caller.post('/api/clients').set('Idempotency-Key', 'c-1').send({ name: 'Once' }).expect(201);
    const first = await create();
    const second = await create();
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await Client.count({ where: { companyId } })).toBe(1);
  });
});

describe('changing a client', () => {
  test('changes only what is given, and updatedAt grows every time, also when nothing changes', async () => {
    const { id } = await createClient(api.services, companyId, { name: 'Before', phone: '1' });
    const get = async (): Promise<ClientBody> =>
      (await caller.get(`/api/clients/${id}`).expect(200)).body as ClientBody;
    const before = await get();
    const changed = (await caller.put(`/api/clients/${id}`).send({ email: null }).expect(200)).body as ClientBody;
    expect(changed).toEqual({ ...before, email: null, updatedAt: changed.updatedAt });
    const again = (await caller.put(`/api/clients/${id}`).send(changed).expect(200)).body as ClientBody;
    expect(again).toEqual({ ...changed, updatedAt: again.updatedAt });
    expect([before.updatedAt, changed.updatedAt, again.updatedAt]).toEqual(
      [before.updatedAt, changed.updatedAt, again.updatedAt].sort(),
    );
    expect(new Set([before.updatedAt, changed.updatedAt, again.updatedAt]).size).toBe(3);
    expect(await get()).toEqual(again);
  });

  test('is refused with 412 when If-Match names an older version, and done when it names this one', async () => {
    const { id } = await createClient(api.services, companyId);
    const { etag } = (await caller.get(`/api/clients/${id}`).expect(200)).headers as { etag: string };
    await caller.put(`/api/clients/${id}`).set('If-Match', etag).send({ name: 'First' }).expect(200);
    const { body } = await caller.put(`/api/clients/${id}`).set('If-Match', etag).send({ name: 'Late' }).expect(412);
    expect(body).toMatchObject({ code: 'precondition_failed' });
    await caller.delete(`/api/clients/${id}`).set('If-Match', etag).expect(412);
    expect((await caller.get(`/api/clients/${id}`)).body).toMatchObject({ name: 'First' });
    await caller.get(`/api/clients/${id}`).set('If-None-Match', etag).expect(200);
  });

  test('does not rewrite what was frozen on a sent invoice, but its summary is the current one', async () => {
    const { id } = await createClient(api.services, companyId, { name: 'As sent' });
    const invoice = await createInvoice(api.services, companyId, { clientId: id, status: 'sent' });
    await caller.put(`/api/clients/${id}`).send({ name: 'Renamed' }).expect(200);
    const shown = await caller.get(`/api/invoices/${invoice.id}`).expect(200);
    expect(shown.body).toMatchObject({ client: { id, name: 'Renamed' } });
    const [row] = await api.services.sql.rows<{ frozenParties: string }>(
      'SELECT frozenParties FROM invoices WHERE id = ?',
      [invoice.id],
    );
    expect(JSON.parse(row?.frozenParties ?? '')).toMatchObject({ client: { name: 'As sent' } });
  });

  test('has what changed in its event', async () => {
    const { id } = await createClient(api.services, companyId, { name: 'A', phone: '1' });
    await caller.put(`/api/clients/${id}`).send({ name: 'B', phone: '1' }).expect(200);
    const event = await Event.findOne({ where: { companyId, type: 'client.updated' }, rejectOnEmpty: true });
    expect(JSON.parse(event.data)).toEqual({ name: 'B', changed: { name: ['A', 'B'] } });
  });
});

describe('deleting a client', () => {
  test('hides it, keeps it on its invoices, and refuses new ones for it', async () => {
    const { id } = await createClient(api.services, companyId, { name: 'Gone' });
    const invoice = await createInvoice(api.services, companyId, { clientId: id });
    expect((await caller.delete(`/api/clients/${id}`).expect(200)).body).toEqual({
      message: 'Client deleted successfully',
    });
    await caller.get(`/api/clients/${id}`).expect(404);
    await caller.put(`/api/clients/${id}`).send({ name: 'Back' }).expect(404);
    await caller.delete(`/api/clients/${id}`).expect(404);
    expect((await caller.get('/api/clients')).body).toMatchObject({ data: [], total: 0, totalPages: 0 });
    expect((await caller.get('/api/clients?includeDeleted=true')).body).toMatchObject({ total: 1 });
    const kept = await caller.get(`/api/clients/${id}?includeDeleted=true`).expect(200);
    expect(kept.body).toMatchObject({ id, softDelete: true });
    expect((await caller.get(`/api/invoices/${invoice.id}`)).body).toMatchObject({ client: { id, name: 'Gone' } });
    await caller.post('/api/invoices').send(invoiceInput(id)).expect(400);
  });
});

describe('listing clients', () => {
  test('returns the newest ten first unless asked otherwise, with the totals of all', async () => {
    for (let n = 1; n <= 12; n++) await createClient(api.services, companyId, { name: `N${n}` });
    const { body } = await caller.get('/api/clients').expect(200);
    expect(body).toMatchObject({ total: 12, page: 1, limit: 10, totalPages: 2 });
    expect(names(body)).toEqual(['N12', 'N11', 'N10', 'N9', 'N8', 'N7', 'N6', 'N5', 'N4', 'N3']);
    expect(names((await caller.get('/api/clients?page=2')).body)).toEqual(['N2', 'N1']);
    expect((await caller.get('/api/clients?page=9')).body).toMatchObject({ data: [], total: 12 });
    expect((await caller.get('/api/clients?limit=1000')).body).toMatchObject({ limit: 100 });
  });

  test.each(['id', 'name', 'email', 'createdAt', 'updatedAt'])('sorts by %s both ways', async (field) => {
    for (const name of ['b', 'a', 'c'])
      await createClient(api.services, companyId, { name, email: `${name}@x.example` });
    const shown = async (order: string): Promise<string[]> =>
      names((await caller.get(`/api/clients?sortBy=${field}&sortOrder=${order}`).expect(200)).body);
    const expected = field === 'name' || field === 'email' ? ['a', 'b', 'c'] : ['b', 'a', 'c'];
    expect(await shown('asc')).toEqual(expected);
    expect(await shown('desc')).toEqual([...expected].reverse());
  });

  test('finds a substring of name or e-mail address, in which % and _ are ordinary characters', async () => {
    await createClient(api.services, companyId, { name: 'Café 100% Organic', email: 'hello@organic.example' });
    await createClient(api.services, companyId, { name: 'Plain', email: 'some_one@plain.example' });
    const found = async (search: string): Promise<string[]> =>
      names((await caller.get('/api/clients').query({ search }).expect(200)).body);
    expect(await found('cafe')).toEqual(['Café 100% Organic']);
    expect(await found('ORGANIC.EX')).toEqual(['Café 100% Organic']);
    expect(await found('%')).toEqual(['Café 100% Organic']);
    expect(await found('_')).toEqual(['Plain']);
    expect(await found('!')).toEqual([]);
    expect(await found('')).toHaveLength(2);
  });

  test.each(['page=0', 'page=x', 'limit=0', 'sortBy=phone', 'sortOrder=up', 'includeDeleted=maybe'])(
    'refuses ?%s with 400',
    async (query) => {
      expect((await caller.get(`/api/clients?${query}`).expect(400)).body).toMatchObject({ code: 'validation_failed' });
    },
  );
});

describe('who may do what with clients', () => {
  test('another company’s client is as one that does not exist', async () => {
    const other = await createCompany(api.services);
    const { id } = await createClient(api.services, other.companyId, { name: 'Theirs' });
    await caller.get(`/api/clients/${id}`).expect(404);
    await caller.get(`/api/clients/${id}?includeDeleted=true`).expect(404);
    await caller.put(`/api/clients/${id}`).send({ name: 'Mine' }).expect(404);
    await caller.delete(`/api/clients/${id}`).expect(404);
    await caller.post('/api/invoices').send(invoiceInput(id)).expect(400);
    expect((await caller.get('/api/clients?includeDeleted=true')).body).toMatchObject({ total: 0, data: [] });
    expect((await api.as(other.token).get(`/api/clients/${id}`).expect(200)).body).toMatchObject({ name: 'Theirs' });
  });

  test('no key is 401, a key that may only read 403 on writes', async () => {
    await api.as().get('/api/clients').expect(401);
    const { token } = await createKey(api.services, companyId, { scopes: ['read'] });
    await api.as(token).get('/api/clients').expect(200);
    expect((await api.as(token).post('/api/clients').send({ name: 'N' }).expect(403)).body).toMatchObject({
      code: 'insufficient_scope',
    });
  });

  test('an id that is no number is 400, one too large for any record 404, another method 405', async () => {
    expect((await caller.get('/api/clients/abc').expect(400)).body).toMatchObject({ code: 'invalid_id' });
    await caller.get('/api/clients/99999999999999999999').expect(404);
    await caller.get('/api/clients/0').expect(404);
    expect((await caller.patch('/api/clients/1').send({}).expect(405)).headers.allow).toContain('PUT');
    await caller.post('/api/clients').type('text/plain').send('name=N').expect(415);
    await caller.post('/api/clients').type('json').send('{"name":').expect(400);
  });
});
