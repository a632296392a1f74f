import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { seriesOf } from '../../support/schedules';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  const { companyId, token } = await createCompany(api.services);
  caller = api.as(token);
  clientId = (await createClient(api.services, companyId)).id;
});

type Body = Record<string, unknown> & { id: number };

/** Ahead: a series that is made with a past date shows the next date that is. */
const ahead = { issueDate: '2126-01-15', dueDate: '2126-02-14' };
const post = (changes: object) => caller.post('/api/invoices').send(invoiceInput(clientId, { ...ahead, ...changes }));
const create = async (changes: object = {}): Promise<Body> => (await post(changes).expect(201)).body as Body;
const put = (id: number, body: object) => caller.put(`/api/invoices/${id}`).send(body);

describe('recurring and nextDueDate of an invoice, on create', () => {
  test('absent › none and null, and it is no series', async () => {
    const body = await create();
    expect(body).toMatchObject({ recurring: 'none', nextDueDate: null });
    expect(await seriesOf(api.services, body.id, 'invoices')).toEqual({
      nextDueDate: null,
      anchorDate: null,
      recurringSince: null,
      dueAt: null,
    });
  });

  test.each([
    ['daily', '2126-01-31', '2126-02-01'],
    ['weekly', '2126-12-28', '2127-01-04'],
    ['monthly', '2126-01-31', '2126-02-28'],
    ['yearly', '2128-02-29', '2129-02-28'],
  ])(
    '%s from %s without nextDueDate, or with null › %s, in create, get and list',
    async (recurring, issueDate, next) => {
      for (const given of [{}, { nextDueDate: null }]) {
        const created = await create({ recurring, issueDate, dueDate: issueDate, ...given });
        expect(created).toMatchObject({ recurring, nextDueDate: next });
        const got = await caller.get(`/api/invoices/${created.id}`).expect(200);
        expect(got.body).toMatchObject({ recurring, nextDueDate: next });
        const { data } = (await caller.get('/api/invoices').expect(200)).body as { data: Body[] };
        expect(data.find(({ id }) => id === created.id)).toMatchObject({ recurring, nextDueDate: next });
        await caller.delete(`/api/invoices/${created.id}`).expect(200);
      }
    },
  );

  test('given › kept, also as a timestamp at midnight and on the day of issue', async () => {
    expect(await create({ recurring: 'monthly', nextDueDate: '2126-03-31' })).toMatchObject({
      nextDueDate: '2126-03-31',
    });
    expect(await create({ recurring: 'monthly', nextDueDate: '2126-03-31T00:00:00.000Z' })).toMatchObject({
      nextDueDate: '2126-03-31',
    });
    expect(await create({ recurring: 'daily', nextDueDate: '2126-01-15' })).toMatchObject({
      nextDueDate: '2126-01-15',
    });
  });

  test('nextDueDate with none › is kept and does nothing', async () => {
    const body = await create({ nextDueDate: '2126-03-31' });
    expect(body).toMatchObject({ recurring: 'none', nextDueDate: '2126-03-31' });
    expect((await seriesOf(api.services, body.id, 'invoices')).dueAt).toBeNull();
  });

  test.each([
    [{ recurring: 'monthly', nextDueDate: '2126-01-14' }, 'nextDueDate'],
    [{ nextDueDate: '2126-01-14' }, 'nextDueDate'],
    [{ recurring: 'monthly', nextDueDate: '2126-02-30' }, 'nextDueDate'],
    [{ recurring: 'monthly', nextDueDate: 20260401 }, 'nextDueDate'],
    [{ recurring: 'monthly', nextDueDate: '' }, 'nextDueDate'],
    [{ recurring: 'yearly', issueDate: '9999-06-01', dueDate: '9999-06-01' }, 'nextDueDate'],
    [{ recurring: 'hourly' }, 'recurring'],
    [{ recurring: null }, 'recurring'],
    [{ recurring: 'Monthly' }, 'recurring'],
  ])('%j › 400 naming the field, and nothing is stored', async (changes, path) => {
    const { body } = await post(changes).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path }] });
    expect((await caller.get('/api/invoices')).body).toMatchObject({ total: 0 });
  });
});

describe('recurring and nextDueDate of an invoice, on update', () => {
  test('an invoice becomes a series, changes its period, and is none again', async () => {
    const { id } = await create();
    expect((await put(id, { recurring: 'monthly' }).expect(200)).body).toMatchObject({
      recurring: 'monthly',
      nextDueDate: '2126-02-15',
    });
    expect((await put(id, { recurring: 'weekly' }).expect(200)).body).toMatchObject({
      recurring: 'weekly',
      nextDueDate: '2126-02-15',
    });
    expect((await put(id, { notes: 'x' }).expect(200)).body).toMatchObject({ recurring: 'weekly' });
    expect((await put(id, { recurring: 'none' }).expect(200)).body).toMatchObject({
      recurring: 'none',
      nextDueDate: null,
    });
    expect((await seriesOf(api.services, id, 'invoices')).dueAt).toBeNull();
  });

  test('none with a nextDueDate › keeps it; without one › clears it; another change › leaves it', async () => {
    const { id } = await create({ recurring: 'monthly' });
    const kept = await put(id, { recurring: 'none', nextDueDate: '2126-05-01' }).expect(200);
    expect(kept.body).toMatchObject({ recurring: 'none', nextDueDate: '2126-05-01' });
    expect((await put(id, { notes: 'x' }).expect(200)).body).toMatchObject({ nextDueDate: '2126-05-01' });
    expect((await put(id, { recurring: 'none' }).expect(200)).body).toMatchObject({ nextDueDate: null });
  });

  test('null for the nextDueDate of a series › one period after the day of issue', async () => {
    const { id } = await create({ recurring: 'monthly', nextDueDate: '2126-07-15' });
    expect((await put(id, { nextDueDate: null }).expect(200)).body).toMatchObject({ nextDueDate: '2126-02-15' });
  });

  test.each([
    [{ nextDueDate: '2126-01-14' }],
    [{ issueDate: '2126-02-16', dueDate: '2126-03-16' }],
    [{ nextDueDate: '2126-02-30' }],
    [{ issueDate: '2126-06-01', dueDate: '2126-06-01', nextDueDate: '2126-05-31' }],
  ])('%j › 400 naming nextDueDate, and nothing has changed', async (changes) => {
    const { id } = await create({ recurring: 'monthly' });
    const before = (await caller.get(`/api/invoices/${id}`)).body as Body;
    const { body } = await put(id, changes).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'nextDueDate' }] });
    expect((await caller.get(`/api/invoices/${id}`)).body).toEqual(before);
  });

  test('what GET showed, put back › changes nothing but the version, not the anchor either', async () => {
    const { id } = await create({
      recurring: 'monthly',
      issueDate: '2126-01-31',
      dueDate: '2126-02-14',
      nextDueDate: '2126-02-28',
    });
    const before = await seriesOf(api.services, id, 'invoices');
    expect(before).toMatchObject({ anchorDate: '2126-01-31' });
    const shown = (await caller.get(`/api/invoices/${id}`)).body as Body;
    const { body } = await put(id, shown).expect(200);
    expect(body).toMatchObject({ recurring: 'monthly', nextDueDate: '2126-02-28' });
    expect(await seriesOf(api.services, id, 'invoices')).toEqual(before);
  });

  test('is in the event, and the due time is not', async () => {
    const { id } = await create();
    await put(id, { recurring: 'daily' }).expect(200);
    const events = await api.services.sql.rows<{ data: string }>(
      "SELECT data FROM events WHERE subjectId = ? AND type = 'invoice.updated'",
      [id],
    );
    const [{ changed } = { changed: {} }] = events.map(({ data }) => JSON.parse(data) as { changed: object });
    expect(changed).toMatchObject({ recurring: ['none', 'daily'], nextDueDate: [null, '2126-01-16'] });
    expect(changed).not.toHaveProperty('dueAt');
  });
});
