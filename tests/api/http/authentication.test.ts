import { routes } from '../../../api/routes';
import { ApiKey } from '../../../shared/models';
import { createCompany, createKey } from '../../support/factories';
import { startApi, type TestApi } from '../../support/server';

let time = Date.now();
let api: TestApi;
let companyId: number;

beforeAll(async () => {
  api = await startApi({ clock: { now: () => new Date(time) } });
});

beforeEach(async () => {
  ({ companyId } = await createCompany(api.services));
});

type Method = 'get' | 'post' | 'put' | 'delete';

/** Every operation of the interface, with the scope that it needs. */
const endpoints = routes.map(
  ({ method, path, scope }) => [method.toLowerCase() as Method, path.replace(/\{\w+\}/g, '999999999'), scope] as const,
);

test('the operations › need `admin` for keys and a sandbox’s calendar, `read` to read, and `write` for the rest', () => {
  for (const { method, path, scope } of routes) {
    const needed = /^\/api\/(?:api-keys|webhook-endpoints|schedules)/.test(path)
      ? 'admin'
      : method === 'GET'
        ? 'read'
        : 'write';
    expect([method, path, scope]).toEqual([method, path, needed]);
  }
});

describe('authentication', () => {
  test.each(endpoints)('%s %s without a key › 401 with WWW-Authenticate', async (method, path) => {
    const { body, headers } = await api.as()[method](path).expect(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(body).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('malformed, unknown, revoked and expired keys › cannot be told apart', async () => {
    const usable = (await createKey(api.services, companyId)).token;
    const revoked = await createKey(api.services, companyId);
    await ApiKey.update({ revokedAt: new Date(time) }, { where: { id: revoked.id } });
    const expired = await createKey(api.services, companyId, { expiresAt: new Date(time + 1_000) });
    time += 1_000;
    const headers = [
      '',
      'Bearer',
      'Bearer ',
      usable,
      `Basic ${usable}`,
      `Token ${usable}`,
      `Bearer ${usable}x`,
      `Bearer ${usable.slice(0, -1)}`,
      `Bearer ${usable.toUpperCase()}`,
      `Bearer ${usable} ${usable}`,
      `Bearer "${usable}"`,
      `Bearer ${revoked.token}`,
      `Bearer ${expired.token}`,
      'Bearer inv_unknown',
      `Bearer ${'a'.repeat(5_000)}`,
      "Bearer ' OR 1=1",
    ];
    const bodies = new Set<string>();
    for (const value of headers) {
      const { body } = await api
        .as()
        .get('/api/invoices')
        .set('Authorization', value)
        .set('X-Request-Id', 'x')
        .expect(401);
      bodies.add(JSON.stringify(body));
    }
    expect(bodies.size).toBe(1);
    await api.as().get(`/api/invoices?access_token=${usable}`).expect(401);
    await api.as(usable).get('/api/invoices').expect(200);
  });

  test('the scheme’s case and spaces around the token › do not matter', async () => {
    const { token } = await createKey(api.services, companyId);
    for (const value of [`bearer ${token}`, `BEARER  ${token}`, `Bearer ${token}  `]) {
      await api.as().get('/api/invoices').set('Authorization', value).expect(200);
    }
  });

  test('a key › works until the time that it expires', async () => {
    const { token } = await createKey(api.services, companyId, { expiresAt: new Date(time + 60_000) });
    await api.as(token).get('/api/invoices').expect(200);
    time += 59_999;
    await api.as(token).get('/api/invoices').expect(200);
    time += 1 + 5_000;
    await api.as(token).get('/api/invoices').expect(401);
  });

  test('a revoked key › stops working within 5 seconds on a process that knows it', async () => {
    const { token, id } = await createKey(api.services, companyId);
    await api.as(token).get('/api/invoices').expect(200);
    await ApiKey.update({ revokedAt: new Date(time) }, { where: { id } });
    time += 5_000;
    await api.as(token).get('/api/invoices').expect(401);
  });

  test('a key that was unknown › works as soon as it is made', async () => {
    const token = `inv_${'k'.repeat(43)}`;
    await api.as(token).get('/api/invoices').expect(401);
    await createKey(api.services, companyId, { token });
    await api.as(token).get('/api/invoices').expect(200);
  });

  test('tokens › have 256 bits and a prefix, and only their hash is stored', async () => {
    const { token, id } = await createKey(api.services, companyId);
    expect(token).toMatch(/^inv_[\w-]{43}$/);
    const row = await ApiKey.findOne({ where: { id } });
    expect(JSON.stringify(row)).not.toContain(token.slice(10));
    expect(row?.tokenHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('scopes', () => {
  const levels = ['read', 'write', 'admin'];

  test.each(levels)('%s › opens what it includes and nothing above', async (scope) => {
    const { token } = await createKey(api.services, companyId, { scopes: [scope as 'read'] });
    for (const [method, path, needed] of endpoints) {
      const { status, body, headers } = await api.as(token)[method](path);
      const allowed = levels.indexOf(scope) >= levels.indexOf(needed);
      expect([method, path, status === 403]).toEqual([method, path, !allowed]);
      expect(status).not.toBe(401);
      if (!allowed) {
        expect(body).toMatchObject({ code: 'insufficient_scope' });
        expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${needed}"`);
      }
    }
  });

  test.each([
    '/api/API-KEYS',
    '/API/api-keys',
    '/api/api%2Dkeys',
    '/api//api-keys',
    '/api/./api-keys',
    '/api/invoices/../api-keys',
  ])('%s › is no way around the scope of /api/api-keys', async (path) => {
    const { token } = await createKey(api.services, companyId, { scopes: ['write'] });
    const response = await api
      .as(token)
      .post(path)
      .send({ scopes: ['admin'] });
    expect([403, 404]).toContain(response.status);
  });

  test.each(['/API/invoices', '/Api/invoices', '/%61pi/invoices', '//api/invoices'])(
    '%s without a key › 404: no way around authentication',
    async (path) => {
      await api.as().get(path).expect(404);
    },
  );
});
