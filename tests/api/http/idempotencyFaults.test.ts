import type { UnitOfWork } from '../../../shared/engine/db/unitOfWork';
import { IdempotencyKey } from '../../../shared/engine/idempotency/IdempotencyKey';
import { requestHash } from '../../../shared/engine/idempotency/requestHash';
import { IdempotentRequest } from '../../../shared/engine/idempotency/IdempotentRequest';
import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { startApi, type Caller, type TestApi } from '../../support/server';

let time = Date.now();
const clock = { now: (): Date => new Date(time) };
let api: TestApi;
/** Another API process of the same installation, whose units of work a test may break. */
let other: TestApi;
let token: string;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  other = await startApi({ clock });
  api = await startApi({ clock });
});

beforeEach(async () => {
  ({ companyId, token } = await createCompany(api.services));
  clientId = (await createClient(api.services, companyId)).id;
});

const post = (to: TestApi, body: object = invoiceInput(clientId)): ReturnType<Caller['post']> =>
  to.as(token).post('/api/invoices').set('Idempotency-Key', 'key').send(body);
const total = async (): Promise<number> => ((await api.as(token).get('/api/invoices')).body as { total: number }).total;

/** Lets `other` do its next unit of work of an API key in this way; back to normal at the end of the test. */
function breakNext(how: <T>(perform: () => Promise<T>) => Promise<T>): void {
  const perform = other.services.perform.bind(other.services);
  other.services.perform = (scope, work) => {
    if (!scope.actor.startsWith('api-key:')) return perform(scope, work);
    return how(() => perform(scope, work));
  };
  restore = () => {
    other.services.perform = perform;
  };
}
let restore: () => void = () => undefined;
afterEach(() => restore());

/** A process that dies: its request never gets a response. Its connection is broken off at the end. */
async function dies(request: ReturnType<Caller['post']>, when: Promise<void>): Promise<void> {
  const responded = request.then(
    () => 'responded',
    () => 'broken off',
  );
  await when;
  request.abort();
  void responded;
}

describe('Idempotency-Key › in flight', () => {
  test('while the first request waits for a lock › 409; afterwards › its response', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    const path = `/api/invoices/${id}/send-email`;
    const send = (to: TestApi): ReturnType<Caller['post']> =>
      to.as(token).post(path).set('Idempotency-Key', 'key').set('Prefer', 'respond-async');
    let first: Promise<{ status: number; text: string }> | undefined;
    await api.services.perform({ companyId, actor: 'test' }, async (uow) => {
      await lockRow(uow, id);
      first = send(other).then((response) => response);
      await claimed();
      const second = await send(api).expect(409);
      expect(second.body).toMatchObject({ code: 'idempotency_key_in_flight' });
    });
    const response = await first;
    expect(response?.status).toBe(202);
    expect((await send(api).expect(202)).text).toBe(response?.text);
  });

  test('while the first request waits for its job › 409; after ten seconds the second waits for the same job', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    const send = (to: TestApi): ReturnType<Caller['post']> =>
      to.as(token).post(`/api/invoices/${id}/send-email`).set('Idempotency-Key', 'key');
    const waits = (request: ReturnType<Caller['post']>): void => void request.then(undefined, () => undefined);
    const claim = async (): Promise<{ claim: string } | undefined> => {
      const text = 'SELECT claim FROM idempotency_keys WHERE companyId = ? AND jobId IS NOT NULL';
      return (await api.services.sql.rows<{ claim: string }>(text, [companyId]))[0];
    };
    const [first, second] = [send(other), send(api)];
    waits(first);
    const ofFirst = await eventually(claim);
    await send(api).expect(409);
    time += 10_001;
    waits(second);
    await eventually(async () => (await claim())?.claim !== ofFirst.claim);
    const jobs = await api.services.sql.rows('SELECT id FROM jobs WHERE companyId = ?', [companyId]);
    expect(jobs).toHaveLength(1);
    for (const request of [first, second]) request.abort();
  });

  test('once the first caller has left, though its job has not ended › the second waits for the same job', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    const send = (): ReturnType<Caller['post']> =>
      api.as(token).post(`/api/invoices/${id}/send-email`).set('Idempotency-Key', 'key');
    const rowOf = async (): Promise<{ claimedUntil: string | null } | undefined> => {
      const text = 'SELECT claimedUntil FROM idempotency_keys WHERE companyId = ? AND jobId IS NOT NULL';
      return (await api.services.sql.rows<{ claimedUntil: string | null }>(text, [companyId]))[0];
    };
    const isClaimed = async (): Promise<boolean> => typeof (await rowOf())?.claimedUntil === 'string';
    for (let callers = 0; callers < 2; callers++) {
      const request = send();
      request.then(undefined, () => undefined);
      await eventually(isClaimed);
      request.abort();
      await eventually(async () => !(await isClaimed()));
    }
    const jobs = await api.services.sql.rows('SELECT id FROM jobs WHERE companyId = ?', [companyId]);
    expect(jobs).toHaveLength(1);
  });

  test('a claim is renewed, but not once a job is recorded', async () => {
    const timers = jest.spyOn(global, 'setInterval');
    const begun = await IdempotentRequest.begin(api.services, companyId, 'key', 'hash');
    if (!(begun instanceof IdempotentRequest)) throw new Error('the key was new');
    const [renew] = timers.mock.calls.at(-1) ?? [];
    const update = jest.spyOn(IdempotencyKey, 'update');
    renew?.();
    expect(update).toHaveBeenCalledTimes(1);
    await api.services.perform({ companyId, actor: 'test' }, (uow) => begun.completeWithin(uow, { jobId: 1 }));
    update.mockClear();
    renew?.();
    expect(update).not.toHaveBeenCalled();
    begun.stopRenewing();
  });

  test('a response counts once for the limit of bytes, also where two requests have it', async () => {
    const begin = async (): Promise<IdempotentRequest> => {
      const begun = await IdempotentRequest.begin(api.services, companyId, 'key', 'hash');
      if (begun instanceof IdempotentRequest) return begun;
      throw new Error('the key has a response');
    };
    const first = await begin();
    await api.services.perform({ companyId, actor: 'test' }, (uow) => first.completeWithin(uow, { jobId: 1 }));
    time += 10_001;
    const second = await begin();
    const add = jest.spyOn(api.services.idempotencyUsage, 'add');
    const response = { status: 202, headers: {}, body: 'b'.repeat(998) };
    for (const request of [second, first]) await request.store(response);
    expect(add.mock.calls.map(([, , bytes]) => bytes)).toEqual([1_000, 0]);
  });

  test('ten at the same time › done once; the others get a conflict or the replay', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => post(n % 2 ? api : other)));
    const done = responses.filter(({ status, headers }) => status === 201 && !headers['idempotent-replayed']);
    expect(done).toHaveLength(1);
    for (const { status, text } of responses) {
      expect([201, 409]).toContain(status);
      if (status === 201) expect(text).toBe(done[0]?.text);
    }
    expect(await total()).toBe(1);
  });

  const lockRow = (uow: UnitOfWork, id: number): Promise<object[]> =>
    uow.sql.rows('SELECT id FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, id]);
  const claimed = async (): Promise<void> => {
    for (;;) {
      const rows = await api.services.sql.rows('SELECT claim FROM idempotency_keys WHERE companyId = ?', [companyId]);
      if (rows.length > 0) return;
    }
  };
});

describe('Idempotency-Key › crashes', () => {
  test('between the commit and the response › the retry gets the true response', async () => {
    let committed: () => void = () => undefined;
    const commit = new Promise<void>((resolve) => (committed = resolve));
    breakNext(async (perform) => {
      await perform();
      committed();
      return new Promise(() => undefined);
    });
    await dies(post(other), commit);
    const response = await post(api).expect(201);
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(response.headers['location']).toMatch(/^\/api\/invoices\/\d+$/);
    const stored = await api
      .as(token)
      .get(response.headers['location'] ?? '')
      .expect(200);
    expect(stored.body).toEqual(response.body);
    expect(await total()).toBe(1);
  });

  test('before the work › 409 while the claim lasts, then the next try does it', async () => {
    const hash = requestHash('POST', '/api/invoices', invoiceInput(clientId));
    const begun = await IdempotentRequest.begin(other.services, companyId, 'key', hash);
    if (!(begun instanceof IdempotentRequest)) throw new Error('the key was new');
    begun.stopRenewing();
    await post(api).expect(409);
    time += 10_001;
    const { headers } = await post(api).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
    expect(await total()).toBe(1);
  });

  test('a claim that was taken over › the first, late after all, changes nothing', async () => {
    let go: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (go = resolve));
    let begun: () => void = () => undefined;
    const began = new Promise<void>((resolve) => (begun = resolve));
    breakNext(async (perform) => {
      begun();
      await late;
      return perform();
    });
    const first = post(other).then((response) => response);
    await began;
    time += 10_001;
    const second = await post(api).expect(201);
    go();
    expect(await first).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_flight' } });
    expect(await total()).toBe(1);
    expect((await post(api).expect(201)).text).toBe(second.text);
  });

  test('after a 5xx › the same request is carried out', async () => {
    breakNext(() => Promise.reject(new Error('a fault')));
    await post(other).expect(500);
    restore();
    const { headers } = await post(other).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
    expect(await total()).toBe(1);
  });

  test('a 5xx whose work had been recorded as a job › the next try comes back to that job', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    const send = (to: TestApi): ReturnType<Caller['post']> =>
      to.as(token).post(`/api/invoices/${id}/send-email`).set('Idempotency-Key', 'job').set('Prefer', 'respond-async');
    breakNext(async (perform) => {
      await perform();
      throw new Error('a fault after the commit');
    });
    await send(other).expect(500);
    restore();
    await send(api).expect(202);
    const jobs = await api.services.sql.rows('SELECT id FROM jobs WHERE companyId = ?', [companyId]);
    const emails = await api.services.sql.rows('SELECT id FROM emails WHERE companyId = ?', [companyId]);
    expect([jobs.length, emails.length]).toEqual([1, 1]);
  });
});

describe('Idempotency-Key › after 24 hours', () => {
  const day = 24 * 3_600_000;

  test('the key › is free for any request; a millisecond before › not', async () => {
    const first = await post(api).expect(201);
    time += day - 1;
    expect((await post(api).expect(201)).text).toBe(first.text);
    await post(api, invoiceInput(clientId, { notes: 'other' })).expect(422);
    time += 1;
    const { headers } = await post(api, invoiceInput(clientId, { notes: 'other' })).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
    expect(await total()).toBe(2);
  });
});
