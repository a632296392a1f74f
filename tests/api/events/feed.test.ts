import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { Transaction } from 'sequelize';
import { type Sql, transactionSql } from '../../../shared/engine/db/sql';
import { type FeedPage, newestEvent, readFeed } from '../../../shared/engine/events/feed';
import { eventType, recordEvent } from '../../../shared/engine/events/recordEvent';
import { numberAll } from '../../support/sequencer';
import { eventually } from '../../support/eventually';
import { createClient, createCompany, createKey } from '../../support/factories';
import { plansOf } from '../../support/plans';
import { startApi, type TestApi } from '../../support/server';

interface Page {
  data: {
    id: number;
    type: string;
    createdAt: string;
    actor: string;
    requestId: string | null;
    subject: { type: string; id: number };
    data: unknown;
  }[];
  nextAfter: number;
  hasMore: boolean;
}

const happened = eventType('test.happened', Type.Object({ text: Type.String() }), { meaning: 'A test.' });
const other = eventType('test.happened.elsewhere', Type.Object({}), { meaning: 'A test.' });

/** How many requests of a company wait at the process. */
const waiting = ({ feedWaits }: TestApi['services'], company: number): number =>
  feedWaits['waiting'].get(company)?.size ?? 0;

let api: TestApi;
let companyId: number;
let token: string;
let start: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  ({ companyId, token } = await createCompany(api.services));
  await numberAll(api.services);
  start = (await get('?after=latest')).nextAfter;
});

async function get(query: string, by = token): Promise<Page> {
  const { body } = await api.as(by).get(`/api/events${query}`).expect(200);
  return body as Page;
}

async function record(subjectIds: readonly number[], text = ''): Promise<void> {
  await api.services.perform({ companyId, actor: 'test' }, (uow) =>
    subjectIds.forEach((id) => recordEvent(uow, happened, id, { text })),
  );
  await numberAll(api.services);
}

const subjects = ({ data }: Page): number[] => data.map(({ subject }) => subject.id);

describe('reading the feed', () => {
  test('a change by a request › is an event with its actor, its request and its subject', async () => {
    const client = { name: 'Acme', email: 'accounts@acme.example' };
    const { body } = await api.as(token).post('/api/clients').set('X-Request-Id', 'request-1').send(client).expect(201);
    await numberAll(api.services);
    const page = await get(`?after=${start}`);
    expect(page).toEqual({
      data: [
        {
          id: expect.any(Number) as number,
          type: 'client.created',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
          actor: expect.stringMatching(/^api-key:\d+$/) as string,
          requestId: 'request-1',
          subject: { type: 'client', id: (body as { id: number }).id },
          data: expect.objectContaining({ name: 'Acme' }) as object,
        },
      ],
      nextAfter: page.data[0]?.id,
      hasMore: false,
    });
  });

  test('absent `after` › from the beginning; `latest` › no events, and where to begin', async () => {
    expect((await get('')).data.map(({ type }) => type)).toContain('company.created');
    await record([1]);
    const latest = await get('?after=latest');
    expect(latest).toMatchObject({ data: [], hasMore: false });
    expect(latest.nextAfter).toBeGreaterThan(start);
    await record([2]);
    expect(subjects(await get(`?after=${latest.nextAfter}`))).toEqual([2]);
  });

  test('a reader that continues from `nextAfter` › sees each event once', async () => {
    await record([1, 2, 3, 4, 5]);
    const seen: number[] = [];
    let page: Page = { data: [], nextAfter: start, hasMore: true };
    while (page.hasMore) {
      page = await get(`?after=${page.nextAfter}&limit=2`);
      seen.push(...subjects(page));
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(await get(`?after=${page.nextAfter}`)).toEqual({ data: [], nextAfter: page.nextAfter, hasMore: false });
  });

  test('`limit` and `wait` above their bounds › count as the bounds', async () => {
    await record(Array.from({ length: 1_001 }, (_, n) => n + 1));
    const page = await get(`?after=${start}&limit=5000&wait=1000`);
    expect(page.data).toHaveLength(1_000);
    expect(page.hasMore).toBe(true);
  });

  test.each([
    ['test.happened', [1]],
    ['test.*', [1, 2]],
    ['test.happened.*', [2]],
    ['test.happened,test.happened.elsewhere', [1, 2]],
    ['*', [1, 2]],
    ['other.*', []],
    ['te_t.*', []],
  ])('types=%s › only these, and the reader goes on behind the others', async (types, expected) => {
    await api.services.perform({ companyId, actor: 'test' }, (uow) => {
      recordEvent(uow, happened, 1, { text: '' });
      recordEvent(uow, other, 2, {});
    });
    await numberAll(api.services);
    const page = await get(`?after=${start}&types=${types}`);
    expect(subjects(page)).toEqual(expected);
    const { nextAfter } = await get('?after=latest');
    expect(page).toMatchObject({ nextAfter, hasMore: false });
  });

  test('subject › only what happened to it', async () => {
    await record([1, 2, 1]);
    expect(subjects(await get(`?after=${start}&subject=test:1`))).toEqual([1, 1]);
    expect(subjects(await get(`?after=${start}&subject=invoice:1`))).toEqual([]);
    expect(subjects(await get(`?after=${start}&subject=test:1&limit=1`))).toEqual([1]);
  });

  test.each(['', '&subject=test:1'])(
    'a filter that finds nothing in a long feed, %j › looks through a part, and says where to continue',
    async (more) => {
      for (let n = 0; n < 11; n++) await record(Array.from({ length: 1_000 }, () => 1));
      const first = await get(`?after=${start}&types=nothing.such${more}`);
      expect(first).toMatchObject({ data: [], hasMore: true });
      const second = await get(`?after=${first.nextAfter}&types=nothing.such${more}`);
      expect(second).toMatchObject({ data: [], hasMore: false });
      expect(second.nextAfter).toBeGreaterThan(first.nextAfter);
    },
  );

  test('a subject with more events than one request looks through › is read in parts, and nothing is missing', async () => {
    await record([1, 2, 1, 2, 2, 2, 2, 1, 1, 2]);
    const subject = { type: 'test', id: 1 };
    const seen: number[] = [];
    let pages = 0;
    for (let page: FeedPage = { events: [], nextAfter: start, hasMore: true }; page.hasMore; pages++) {
      const query = { after: page.nextAfter, limit: 10, subject, lookThrough: 3 };
      page = await readFeed(api.services.sql, companyId, query);
      seen.push(...page.events.map(({ subjectId }) => subjectId));
    }
    expect([seen, pages]).toEqual([[1, 1, 1, 1], 4]);
  });

  test('events that are too large together › a shorter page, and nothing is missing', async () => {
    await record(
      Array.from({ length: 24 }, (_, n) => n + 1),
      'x'.repeat(400_000),
    );
    const seen: number[] = [];
    let pages = 0;
    for (let page: Page = { data: [], nextAfter: start, hasMore: true }; page.hasMore; pages++) {
      page = await get(`?after=${page.nextAfter}`);
      seen.push(...subjects(page));
    }
    expect(seen).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
    expect(pages).toBeGreaterThan(1);
  });

  test.each([
    'after=-1',
    'after=newest',
    'after=1.5',
    'after=99999999999999999999',
    'limit=0',
    'limit=ten',
    'wait=-1',
    'wait=soon',
    'types=Invoice.paid',
    'types=invoice..paid',
    'types=invoice.*.paid',
    `types=${Array.from({ length: 51 }, () => 'invoice.paid').join(',')}`,
    'subject=invoice',
    'subject=invoice:x',
    'subject=invoice:1:2',
    'after=1&after=2',
  ])('%s › 400', async (query) => {
    const { body } = await api.as(token).get(`/api/events?${query}`).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed' });
  });

  test.each([
    [{ types: ['test.*'] }, 1],
    [{ types: ['other.*'] }, 0],
    [{ subject: { type: 'test', id: 1 } }, 1],
  ])(
    'the server that shows the events of %j is not the one that has shown their end › none is skipped',
    async (filter, seen) => {
      const { sql, sequelize } = api.services;
      await record([1]);
      await sequelize.transaction(
        { isolationLevel: Transaction.ISOLATION_LEVELS.REPEATABLE_READ },
        async (transaction) => {
          // What a transaction has read once stays as it was.
          const behind = transactionSql(transaction);
          await newestEvent(behind, companyId);
          await record([1]);
          const ofTwo: Sql = { ...behind, rows: (...given) => sql.rows(...given) };
          const { events, nextAfter, hasMore } = await readFeed(ofTwo, companyId, {
            after: start,
            limit: 10,
            ...filter,
          });
          expect({ seen: events.length, nextAfter, hasMore }).toEqual({
            seen,
            nextAfter: events[0]?.id ?? start,
            hasMore: true,
          });
          const next = await readFeed(sql, companyId, { after: nextAfter, limit: 10, ...filter });
          expect(next).toMatchObject({ nextAfter: await newestEvent(sql, companyId), hasMore: false });
          expect(next.events).toHaveLength(seen);
        },
      );
    },
  );

  test('another company › reads its own events only', async () => {
    await record([1]);
    const stranger = await createCompany(api.services);
    await numberAll(api.services);
    const page = await get('?limit=1000', stranger.token);
    expect(page.data.map(({ type }) => type)).not.toContain('test.happened');
    expect(subjects(await get('?subject=test:1', stranger.token))).toEqual([]);
  });

  test('a key that may only read › reads; none › 401', async () => {
    const { token: reader } = await createKey(api.services, companyId, { scopes: ['read'] });
    await get('', reader);
    await api.as().get('/api/events').expect(401);
  });

  test.each([
    ['events_feed', {}],
    ['events_feed', { types: ['test.happened'] }],
    ['events_by_subject', { subject: { type: 'test', id: 1 } }],
    ['events_feed', { subject: { type: 'test', id: 1 }, lookThrough: 1 }],
  ])('the statements read an index, that of the page %s › %j', async (index, filter) => {
    await record([1, 1]);
    const plans = await plansOf(api.services.sql, (sql) =>
      readFeed(sql, companyId, { after: start, limit: 100, ...filter }),
    );
    for (const step of plans.flat().filter(({ table }) => table === 'events')) {
      expect(step.key).toMatch(/^events_(feed|by_subject)$/);
    }
    expect(plans.at(-1)?.[0]).toMatchObject({ table: 'events', key: index });
  });
});

describe('a position', () => {
  const lastNumber = async (): Promise<number> => {
    const [row] = await api.services.sql.rows<{ last: number }>('SELECT last FROM event_sequence WHERE id = 1');
    return row?.last ?? 0;
  };

  test.each(['', '&wait=20', '&types=invoice.*', '&subject=invoice:1'])(
    'beyond every number, with %j › is 409, since what happens next might be skipped',
    async (more) => {
      for (const after of [(await lastNumber()) + 3_600_000_000, Number.MAX_SAFE_INTEGER]) {
        const { body } = await api.as(token).get(`/api/events?after=${after}${more}`).expect(409);
        expect(body).toMatchObject({ code: 'after_ahead_of_feed' });
      }
    },
  );

  test.each([1, 14])(
    'that the database shows at the %dth look › is read on from: another node may have given it, and have failed since',
    async (looks) => {
      const { feedWaits } = api.services;
      const wait = feedWaits.wait.bind(feedWaits);
      const spy = jest.spyOn(feedWaits, 'wait');
      for (let look = 1; look < looks; look++) spy.mockResolvedValueOnce();
      spy.mockImplementationOnce(async (...given) => {
        await record([1]);
        return wait(...given);
      });
      const { status, body } = await api.as(token).get(`/api/events?after=${(await lastNumber()) + 1}&wait=20`);
      expect({ status, subjects: subjects(body as Page) }).toEqual({ status: 200, subjects: [1] });
    },
  );

  test('of the last minute that is never shown › is 409 after 15 seconds', async () => {
    const began = Date.now();
    let waitedMs = 0;
    jest.spyOn(api.services.feedWaits, 'wait').mockImplementation((_company, _after, ms) => {
      waitedMs += ms;
      jest.spyOn(Date, 'now').mockReturnValue(began + waitedMs);
      return Promise.resolve();
    });
    await api
      .as(token)
      .get(`/api/events?after=${(await lastNumber()) + 1}`)
      .expect(409);
    expect(waitedMs / 1_000).toBeCloseTo(15, 0);
  });

  test('that is the newest of its reader › is never 409, at any process, while events are numbered', async () => {
    const second = await startApi();
    const read = async (reader: TestApi): Promise<number[]> => {
      const seen: number[] = [];
      for (let after = start; seen.length < 30;) {
        const { body } = await reader.as(token).get(`/api/events?after=${after}&wait=5&limit=3`).expect(200);
        seen.push(...subjects(body as Page));
        after = (body as Page).nextAfter;
      }
      return seen;
    };
    const readers = Promise.all([api, second].map(read));
    for (let n = 1; n <= 30; n++) await record([n]);
    const all = Array.from({ length: 30 }, (_, n) => n + 1);
    expect(await readers).toEqual([all, all]);
  });

  test('of a company without numbered events › is 0, and is read on from', async () => {
    const fresh = await createCompany(api.services);
    expect(await get('?after=latest', fresh.token)).toEqual({ data: [], nextAfter: 0, hasMore: false });
    expect(await get('?after=0&wait=0', fresh.token)).toEqual({ data: [], nextAfter: 0, hasMore: false });
  });
});

describe('waiting for an event', () => {
  test('an event arrives › the response follows, and other companies keep waiting', async () => {
    const stranger = await createCompany(api.services);
    await numberAll(api.services);
    const { nextAfter } = await get('?after=latest', stranger.token);
    let strangerHasEnded = false;
    const strangerWaits = get(`?after=${nextAfter}&wait=20`, stranger.token).then((page) => {
      strangerHasEnded = true;
      return page;
    });
    const waits = get(`?after=${start}&wait=20`);
    await record([1]);
    expect(subjects(await waits)).toEqual([1]);
    expect(strangerHasEnded).toBe(false);
    await createClient(api.services, stranger.companyId);
    await numberAll(api.services);
    expect((await strangerWaits).data.map(({ type }) => type)).toEqual(['client.created']);
  });

  test('an event of another type › does not end the wait, and is skipped by the next request', async () => {
    const waits = get(`?after=${start}&wait=1&types=nothing.such`);
    await record([1]);
    const page = await waits;
    expect(page.data).toEqual([]);
    expect(page.nextAfter).toBeGreaterThan(start);
  });

  test('nothing happens › an empty page when the time is over', async () => {
    expect(await get(`?after=${start}&wait=1`)).toEqual({ data: [], nextAfter: start, hasMore: false });
  });

  test.each(['', '&types=test.*', '&subject=test:1'])(
    'the reported event is gone, with "%s" › the request waits all the same, rather than read again and again',
    async (filter) => {
      await record([1]);
      const { services } = api;
      await eventually(() => services.feedWaits.newestOf(companyId) > start);
      await services.sql.run('DELETE FROM events WHERE companyId = ?', [companyId]);
      const wait = jest.spyOn(services.feedWaits, 'wait');
      const page = await get(`?wait=1${filter}`);
      expect({ page, waits: wait.mock.calls.length }).toEqual({
        page: { data: [], nextAfter: 0, hasMore: false },
        waits: 1,
      });
      wait.mockRestore();
    },
  );

  test('an event after the position was removed › 410 immediately', async () => {
    const { services } = api;
    await services.sql.run('INSERT INTO removed_events (companyId, upTo) VALUES (?, ?)', [companyId, start]);
    await services.sql.run('DELETE FROM events WHERE companyId = ?', [companyId]);
    const wait = jest.spyOn(services.feedWaits, 'wait');
    await api.as(token).get('/api/events?after=1&wait=25').expect(410);
    expect(wait).not.toHaveBeenCalled();
    wait.mockRestore();
  });

  test('reports are lost › the event is found all the same', async () => {
    const deaf = await startApi();
    deaf.services.eventSignals.close();
    const waits = deaf.as(token).get(`/api/events?after=${start}&wait=20`).expect(200);
    const arrived = waits.then(({ body }) => body as Page);
    await record([1]);
    expect(subjects(await arrived)).toEqual([1]);
  });

  test('more waiting requests than a company may have › 429, and those that wait go on', async () => {
    const requests = Array.from({ length: 70 }, async () => {
      const response = await api.as(token).get(`/api/events?after=${start}&wait=25`);
      return response.status;
    });
    await eventually(() => waiting(api.services, companyId) === 64);
    await api.as(token).get(`/api/events?after=${start}&wait=1`).expect(429);
    await record([1]);
    const statuses = await Promise.all(requests);
    expect(statuses.filter((status) => status === 200)).toHaveLength(64);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  });

  test('clients that disconnect › make room for others', async () => {
    for (let round = 0; round < 3; round++) {
      const gone = new AbortController();
      const requests = Array.from({ length: 40 }, () =>
        fetch(`${api.url}/api/events?after=${start}&wait=25`, {
          headers: { authorization: `Bearer ${token}` },
          signal: gone.signal,
        }).catch(() => null),
      );
      await eventually(() => waiting(api.services, companyId) === 40);
      gone.abort();
      await Promise.all(requests);
      await eventually(() => waiting(api.services, companyId) === 0);
    }
  });

  test('a client that disconnects before its request waits › takes no room', async () => {
    const gone = new AbortController();
    const { sql, feedWaits } = api.services;
    const read = sql.rowsWithin.bind(sql);
    const page = jest.spyOn(sql, 'rowsWithin').mockImplementationOnce(async (...statement) => {
      gone.abort();
      await sleep(100);
      return read(...statement);
    });
    const wait = jest.spyOn(feedWaits, 'wait');
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${api.url}/api/events?after=${start}&wait=25`, { headers, signal: gone.signal }).catch(() => null);
    await eventually(() => wait.mock.results.length === 1);
    await Promise.race([wait.mock.results[0]?.value, sleep(2_000)]);
    expect(waiting(api.services, companyId)).toBe(0);
    page.mockRestore();
    wait.mockRestore();
  });

  test('the process stops › waiting requests get their empty page', async () => {
    const stopping = new AbortController();
    const ending = await startApi({ stopping: stopping.signal, env: { SHUTDOWN_TIMEOUT_MS: '1000' } });
    const waits = ending.as(token).get(`/api/events?after=${start}&wait=25`).expect(200);
    const arrived = waits.then(({ body }) => body as Page);
    await eventually(() => waiting(ending.services, companyId) === 1);
    stopping.abort();
    expect((await arrived).data).toEqual([]);
  });
});
