import { createConnection } from 'mysql2/promise';
import { newestMigration } from '../../../shared/engine/migrations/schemaVersion';
import { createCompany } from '../../support/factories';
import { installation } from '../../support/installation';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

describe('health', () => {
  test('healthz › 200 without a key', async () => {
    const { body } = await api.as().get('/healthz').expect(200);
    expect(body).toEqual({ status: 'alive' });
  });

  test('readyz › 200 without a key while MySQL, its migrations and Redis are there', async () => {
    const { body } = await api.as().get('/readyz').expect(200);
    expect(body).toEqual({ status: 'ready', clockOffsetMs: expect.any(Number) as number });
  });

  test('readyz while the newest migration has not run › 503 with Retry-After', async () => {
    const { DATABASE_URL = '' } = await installation();
    const database = await createConnection(DATABASE_URL);
    const rename = (from: string, to: string): Promise<unknown> =>
      database.query('UPDATE schema_migrations SET name = ? WHERE name = ?', [to, from]);
    await rename(newestMigration(), 'an-older-one');
    const { body, headers } = await api.as().get('/readyz').expect(503);
    await rename('an-older-one', newestMigration());
    await database.end();
    expect(body).toMatchObject({
      code: 'service_unavailable',
      detail: expect.stringContaining('migrations') as string,
    });
    expect(headers['retry-after']).toMatch(/^\d+$/);
    await api.as().get('/readyz').expect(200);
  });

  test('a HEAD request › has the headers of GET and no body', async () => {
    const { token } = await createCompany(api.services);
    const { headers, text } = await api.as(token).head('/api/invoices').expect(200);
    expect([headers['content-type'], text]).toEqual(['application/json; charset=utf-8', undefined]);
  });

  test('every response › tells browsers to run nothing of it, to frame it nowhere, and not to guess its type', async () => {
    const { headers } = await api.as().get('/healthz').expect(200);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  });
});
