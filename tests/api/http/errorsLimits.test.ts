import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import { createCompany, createKey } from '../../support/factories';
import { installation, type InstallationOptions } from '../../support/installation';
import { startApi, type TestApi } from '../../support/server';
import { startTcpProxy } from '../../support/tcpProxy';

let companyId: number;
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ env: { RATE_LIMIT_PER_SECOND: '5', CORS_ORIGINS: 'https://app.example, https://b.example' } });
});

beforeEach(async () => {
  ({ companyId } = await createCompany(api.services));
});

/** Of a company of its own. */
const newKey = async (): Promise<string> => (await createCompany(api.services)).token;
const burst = (
  to: TestApi,
  token: string,
  count: number,
): Promise<{ status: number; headers: Record<string, string> }[]> =>
  Promise.all(Array.from({ length: count }, async () => to.as(token).get('/api/invoices')));

describe('RATE_LIMIT_PER_SECOND', () => {
  test('more requests than allowed › 429 with Retry-After; every response says what is left', async () => {
    const responses = await burst(api, await newKey(), 30);
    const refused = responses.filter(({ status }) => status === 429);
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of responses) {
      expect(headers['ratelimit-policy']).toBe('"company";q=5;w=1');
      expect(headers['ratelimit']).toMatch(/^"company";r=[0-5];t=\d+$/);
    }
    for (const { headers } of refused) expect(headers['retry-after']).toBe('1');
    expect(refused[0]).toMatchObject({ body: { status: 429, code: 'rate_limited', title: 'Too Many Requests' } });
  });

  test('ten keys of one company › have the limit of one together, and leave other companies alone', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => createKey(api.services, companyId)));
    const responses = (await Promise.all(keys.map(({ token }) => burst(api, token, 5)))).flat();
    // 50 requests; with a limit for each key none of them would be refused.
    expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    await api
      .as(await newKey())
      .get('/api/invoices')
      .expect(200);
  });

  test('several processes › count together', async () => {
    const second = await startApi({ env: { RATE_LIMIT_PER_SECOND: '5' } });
    const left = async (to: TestApi, token: string): Promise<number> => {
      const { headers } = await to.as(token).get('/api/invoices');
      return Number(/r=(\d)/.exec(String(headers['ratelimit']))?.[1]);
    };
    // A second may end between the requests; counted apart, the other process would have all five left each time.
    for (let afterBoth = 5, after = 0; afterBoth >= after;) {
      const token = await newKey();
      await left(api, token);
      after = await left(api, token);
      afterBoth = await left(second, token);
    }
  });

  test('while Redis is unreachable › requests are still served, and still limited', async () => {
    const { REDIS_URL = '' } = await installation();
    const redis = await startTcpProxy(REDIS_URL);
    redis.cut();
    const cutOff = await startApi({ env: { RATE_LIMIT_PER_SECOND: '5', REDIS_URL: redis.url } });
    const statuses = new Set((await burst(cutOff, await newKey(), 30)).map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
  });

  test('while Redis does not respond › no request waits for its time-out, and requests are still limited', async () => {
    const { REDIS_URL = '' } = await installation();
    const proxy = await startTcpProxy(REDIS_URL);
    const hanging = await startApi({ env: { RATE_LIMIT_PER_SECOND: '5', REDIS_URL: proxy.url } });
    const { redis } = hanging.services.queues;
    await eventually(() => redis.status === 'ready');
    Object.assign(redis.options, { commandTimeout: 60_000, socketTimeout: 60_000 });
    proxy.freeze();
    const statuses = new Set((await burst(hanging, await newKey(), 30)).map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 429]);
    expect(redis.status).toBe('ready');
  });

  test('off unless it is set', async () => {
    const open = await startApi();
    const responses = await burst(open, await newKey(), 30);
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(responses[0]?.headers).not.toHaveProperty('ratelimit');
  });
});

describe('failed authentications', () => {
  test('an address that keeps trying wrong keys › 429 with Retry-After, and a valid key still works', async () => {
    const attacked = await startApi();
    const token = await newKey();
    const statuses: number[] = [];
    for (let n = 0; n < 16; n++) {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, m) => attacked.as(`inv_wrong${n}x${m}`).get('/api/invoices')),
      );
      statuses.push(...responses.map(({ status }) => status));
    }
    expect(new Set(statuses.slice(0, 280))).toEqual(new Set([401]));
    const refused = await attacked.as('inv_wrong').get('/api/invoices').expect(429);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    await attacked.as().get('/api/invoices').expect(429);
    await attacked.as(token).get('/api/invoices').expect(200);
    await attacked.as().get('/healthz').expect(200);
  });
});

describe('wrong keys of an address over its limit', () => {
  const tries = (to: TestApi, count: number, headers: Record<string, string> = {}): Promise<number[]> =>
    Promise.all(
      Array.from(
        { length: count },
        async () => (await to.as(`inv_${randomUUID()}`).get('/api/invoices').set(headers)).status,
      ),
    );

  /** An API and the statements by which it reads keys from now on. */
  async function watched(options: InstallationOptions = {}): Promise<{ to: TestApi; reads: string[] }> {
    const to = await startApi(options);
    const { sql } = to.services;
    const read = sql.rows.bind(sql);
    const reads: string[] = [];
    sql.rows = (text, values) => {
      if (text.includes('FROM api_keys')) reads.push(text);
      return read(text, values);
    };
    return { to, reads };
  }

  test('cost no statement each', async () => {
    const { to, reads } = await watched();
    await tries(to, 300);
    expect(reads).toHaveLength(300);
    reads.length = 0;
    expect(new Set(await tries(to, 200))).toEqual(new Set([429]));
    expect(reads.length).toBeGreaterThan(0);
    // At most ten a second.
    expect(reads.length).toBeLessThan(100);
  });

  test('a burst that begins within the limit › costs at most as many statements as the limit, and a few', async () => {
    const { to, reads } = await watched();
    await tries(to, 600);
    expect(reads.length).toBeLessThan(450);
  });

  test('a valid key that this process has not seen › is found among them', async () => {
    const { to, reads } = await watched();
    await tries(to, 305);
    reads.length = 0;
    const wrong = tries(to, 100);
    const responses = await Promise.all(
      (await Promise.all([newKey(), newKey()])).map((key) => to.as(key).get('/api/jobs/0')),
    );
    expect(responses.map(({ status }) => status)).toEqual([404, 404]);
    expect(new Set(await wrong)).toEqual(new Set([429]));
    expect(reads.length).toBeLessThan(50);
  });

  test('a valid key that is cached › needs no look-up', async () => {
    const { to, reads } = await watched({ clock: { now: () => new Date('2026-05-05T05:05:05Z') } });
    const token = await newKey();
    await to.as(token).get('/api/jobs/0').expect(404);
    await tries(to, 305);
    reads.length = 0;
    await to.as(token).get('/api/jobs/0').expect(404);
    expect(reads).toEqual([]);
  });

  test('valid keys › do not count as failures, however many come at the same time', async () => {
    const { to } = await watched();
    for (let n = 0; n < 310; n++) {
      if (n % 31 === 0)
        await to
          .as(await newKey())
          .get('/api/jobs/0')
          .expect(404);
      else if (n < 280) await to.as('inv_wrong').get('/api/jobs/0').expect(401);
    }
  });

  test('are counted for an IPv6 client by its /48 network', async () => {
    const { to } = await watched({ env: { TRUST_PROXY: 'true' } });
    const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });
    for (let n = 0; n < 7; n++) await tries(to, 50, from(`2001:db8:0:${n}::1`));
    expect(await tries(to, 1, from('2001:db8:0:ffff:ffff:ffff:ffff:ffff'))).toEqual([429]);
    expect(await tries(to, 1, from('2001:db8:1::1'))).toEqual([401]);
  });
});

describe('CORS_ORIGINS', () => {
  const preflight = (to: TestApi, origin: string): PromiseLike<{ status: number; headers: Record<string, string> }> =>
    to.as().options('/api/invoices').set('Origin', origin).set('Access-Control-Request-Method', 'POST');

  test('a listed origin › may ask without a key what it may send', async () => {
    const { status, headers } = await preflight(api, 'https://b.example');
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('https://b.example');
    expect(headers['access-control-allow-methods']).toBe('GET, POST, PUT, DELETE');
    const allowed = String(headers['access-control-allow-headers']).toLowerCase();
    expect(allowed.split(', ')).toEqual(
      expect.arrayContaining([
        ...['authorization', 'content-type', 'idempotency-key', 'prefer', 'x-request-id'],
        ...['if-match', 'if-none-match', 'if-range', 'range'],
      ]),
    );
    expect(headers['vary']).toContain('Origin');
  });

  test('a listed origin › may read responses and errors, and the headers that matter', async () => {
    for (const [token, status] of [
      [await newKey(), 200],
      ['inv_wrong', 401],
    ] as const) {
      const { headers } = await api.as(token).get('/api/invoices').set('Origin', 'https://app.example').expect(status);
      expect(headers['access-control-allow-origin']).toBe('https://app.example');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
        expect.arrayContaining([
          ...['ETag', 'Location', 'Idempotent-Replayed', 'X-Request-Id', 'Allow', 'WWW-Authenticate'],
          ...['Content-Disposition', 'Accept-Ranges', 'Content-Range'],
          ...['RateLimit', 'RateLimit-Policy', 'Retry-After'],
        ]),
      );
    }
  });

  test.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'the origin %s › is told nothing',
    async (origin) => {
      const { status, headers } = await preflight(api, origin);
      expect(status).toBe(401);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers['vary']).toContain('Origin');
    },
  );

  test('off unless it is set', async () => {
    const closed = await startApi();
    const { status, headers } = await preflight(closed, 'https://app.example');
    expect(status).toBe(401);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
