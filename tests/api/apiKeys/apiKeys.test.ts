import { ApiKeys } from '../../../api/apiKeys/ApiKeys';
import { KeyRows } from '../../../api/apiKeys/KeyRows';
import { hashToken } from '../../../shared/apiKeys';
import { ApiKey, IdempotencyKey } from '../../../shared/models';
import { Event } from '../../support/models';
import type { Scope } from '../../../shared/apiKeys/scopes';
import { createCompany, createKey } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

interface KeyBody {
  id: number;
  token: string;
  hint: string;
}

let now = new Date('2026-06-01T10:00:00.000Z');
let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({ clock: { now: () => now } });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

test('beside many wrong keys › one that was usable within ten minutes is looked up immediately, others together', async () => {
  const { token } = await createCompany(api.services);
  const keys = new ApiKeys(api.services);
  const together = jest.spyOn(KeyRows.prototype, 'readTogether');
  const find = async (minutesLater: number): Promise<[isFound: boolean, waits: boolean]> => {
    now = new Date(now.getTime() + minutesLater * 60_000);
    together.mockClear();
    const found = await keys.find(token, { thrifty: true });
    return [found !== null, together.mock.calls.length > 0];
  };
  expect(await find(0)).toEqual([true, true]);
  expect(await find(9)).toEqual([true, false]);
  expect(await find(9)).toEqual([true, false]);
  expect(await find(11)).toEqual([true, true]);
  await ApiKey.update({ revokedAt: now }, { where: { tokenHash: hashToken(token) } });
  expect(await find(1)).toEqual([false, false]);
  expect(await find(1)).toEqual([false, true]);
});

describe('creating an API key', () => {
  test('shows a token that works immediately, and nothing of it is stored or listed afterwards', async () => {
    const given = { name: 'CI', scopes: ['read'], expiresAt: '2026-06-02T17:00:00+07:00' };
    const { body } = await caller.post('/api/api-keys').send(given).expect(201);
    const { id, token, hint } = body as KeyBody;
    expect(body).toEqual({
      id,
      name: 'CI',
      hint,
      scopes: ['read'],
      expiresAt: '2026-06-02T10:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
      createdAt: now.toISOString(),
      token,
    });
    expect(token).toMatch(/^inv_[\w-]{43}$/);
    expect(token.startsWith(hint.replace('…', ''))).toBe(true);
    await api.as(token).get('/api/clients').expect(200);
    await api.as(token).post('/api/clients').send({ name: 'N' }).expect(403);
    const listed = await caller.get('/api/api-keys').expect(200);
    expect(listed.text).not.toContain(token);
    expect(listed.text).not.toContain('token');
    const row = await ApiKey.findOne({ where: { companyId, id }, rejectOnEmpty: true });
    expect(JSON.stringify(row)).not.toContain(token.slice(12));
    const event = await Event.findOne({
      where: { companyId, subjectId: id, type: 'api_key.created' },
      rejectOnEmpty: true,
    });
    expect(event.data).not.toContain(token);
  });

  test('reads and writes, and has no name and no end, unless asked otherwise', async () => {
    const { body } = await caller.post('/api/api-keys').expect(201);
    expect(body).toMatchObject({ name: '', scopes: ['read', 'write'], expiresAt: null });
    await api
      .as((body as KeyBody).token)
      .get('/api/api-keys')
      .expect(403);
  });

  test.each([
    ['an expiry in the past', { expiresAt: '2026-06-01T09:59:59Z' }, 'expiresAt'],
    ['an expiry now', { expiresAt: '2026-06-01T10:00:00Z' }, 'expiresAt'],
    ['an expiry beyond the calendar', { expiresAt: '9999-12-31T23:59:59-12:00' }, 'expiresAt'],
    ['an expiry without a time zone', { expiresAt: '2027-01-01T00:00:00' }, 'expiresAt'],
    ['a day for an expiry', { expiresAt: '2027-01-01' }, 'expiresAt'],
    ['a number for an expiry', { expiresAt: '1' }, 'expiresAt'],
    ['an expiry on a day that does not exist', { expiresAt: '2027-02-30T00:00:00Z' }, 'expiresAt'],
    ['an expiry in a leap second', { expiresAt: '2028-12-31T23:59:60Z' }, 'expiresAt'],
    ['an expiry whose offset has no minutes', { expiresAt: '2027-01-01T00:00:00+07' }, 'expiresAt'],
    ['an unknown scope', { scopes: ['root'] }, 'scopes/0'],
    ['no scopes', { scopes: [] }, 'scopes'],
    ['a scope twice', { scopes: ['read', 'read'] }, 'scopes'],
    ['a field that is not known', { expires: '2027-01-01T00:00:00Z' }, 'expires'],
  ])('with %s is refused with 400', async (_what, given, path) => {
    const { body } = await caller.post('/api/api-keys').send(given).expect(400);
    expect((body as { errors: { path: string }[] }).errors.map((error) => error.path)).toContain(path);
  });
});

describe('under an Idempotency-Key', () => {
  const create = (by: Caller, name = 'K') => by.post('/api/api-keys').set('Idempotency-Key', 'key-1').send({ name });

  test('the same caller gets the same token again, which the database does not hold', async () => {
    const first = await create(caller).expect(201);
    const { token } = first.body as KeyBody;
    const again = await create(caller).expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await ApiKey.count({ where: { companyId } })).toBe(2);
    const stored = await IdempotencyKey.findOne({ where: { companyId }, rejectOnEmpty: true });
    expect(stored.responseStatus).toBe(201);
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(Buffer.from(stored.responseBody ?? '', 'base64').toString('latin1')).not.toContain(token);
  });

  test('another key of the company cannot fetch the token: 422', async () => {
    await create(caller).expect(201);
    const other = await createKey(api.services, companyId, { scopes: ['admin'] });
    const { body } = await create(api.as(other.token)).expect(422);
    expect(body).toMatchObject({ code: 'idempotency_key_reused' });
    await create(caller, 'another').expect(422);
  });
});

describe('revoking an API key', () => {
  test('ends it within five seconds on every API process, and once', async () => {
    const second = await startApi({ clock: { now: () => now } });
    const key = await createKey(api.services, companyId);
    await api.as(key.token).get('/api/clients').expect(200);
    await second.as(key.token).get('/api/clients').expect(200);
    const { body } = await caller.delete(`/api/api-keys/${key.id}`).expect(200);
    expect(body).toEqual({ message: 'API key revoked successfully' });
    const revokedAt = now;
    now = new Date(now.getTime() + 5_000);
    await api.as(key.token).get('/api/clients').expect(401);
    await second.as(key.token).get('/api/clients').expect(401);
    await caller.delete(`/api/api-keys/${key.id}`).expect(200);
    const listed = await caller.get('/api/api-keys?sortBy=id&sortOrder=desc').expect(200);
    expect((listed.body as { data: object[] }).data[0]).toMatchObject({
      id: key.id,
      revokedAt: revokedAt.toISOString(),
      lastUsedAt: revokedAt.toISOString(),
    });
    expect(await Event.count({ where: { companyId, type: 'api_key.revoked' } })).toBe(1);
  });

  test('an expired key is 401 as well', async () => {
    const expiresAt = new Date(now.getTime() + 60_000);
    const key = await createKey(api.services, companyId, { expiresAt });
    await api.as(key.token).get('/api/clients').expect(200);
    now = new Date(expiresAt.getTime() + 5_000);
    await api.as(key.token).get('/api/clients').expect(401);
  });
});

describe('who may see and change keys', () => {
  test.each<[Scope[]]>([[['read']], [['write']], [['read', 'write']]])(
    'scopes %j are not enough: 403',
    async (scopes) => {
      const { token, id } = await createKey(api.services, companyId, { scopes });
      await api.as(token).get('/api/api-keys').expect(403);
      await api
        .as(token)
        .post('/api/api-keys')
        .send({ scopes: ['admin'] })
        .expect(403);
      await api.as(token).delete(`/api/api-keys/${id}`).expect(403);
      expect(await ApiKey.count({ where: { companyId } })).toBe(2);
    },
  );

  test('keys of another company are not there', async () => {
    const other = await createCompany(api.services);
    await caller.delete(`/api/api-keys/${other.keyId}`).expect(404);
    await caller.delete('/api/api-keys/99999999').expect(404);
    expect((await caller.get('/api/api-keys')).body).toMatchObject({ total: 1 });
    await api.as(other.token).get('/api/clients').expect(200);
  });

  test('lists are paged and searched by name', async () => {
    for (const name of ['alpha', 'beta', 'alphabet']) await createKey(api.services, companyId, { name });
    const { body } = await caller
      .get('/api/api-keys?search=ALPHA&sortBy=name&sortOrder=asc&limit=1&page=2')
      .expect(200);
    expect(body).toMatchObject({ data: [{ name: 'alphabet' }], total: 2, page: 2, limit: 1, totalPages: 2 });
    await caller.get('/api/api-keys?sortBy=tokenHash').expect(400);
  });
});
