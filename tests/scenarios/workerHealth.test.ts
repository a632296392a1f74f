import { createConnection } from 'mysql2/promise';
import { freePort } from '../../dev/servers/freePort';
import { newestMigration } from '../../shared/engine/migrations/schemaVersion';
import { installation } from '../support/installation';
import { startWorkerProcess } from '../support/processes';

test('the health port of a worker › it is ready while MySQL, its migrations, the files and Redis are there, and alive always', async () => {
  const env = await installation();
  const port = await freePort();
  await startWorkerProcess({ ...env, WORKER_QUEUES: 'schedule', WORKER_HEALTH_PORT: String(port) });
  const get = async (path: string): Promise<[number, unknown]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.json()];
  };
  expect(await get('/readyz')).toEqual([200, { status: 'ready', clockOffsetMs: expect.any(Number) as number }]);
  expect(await get('/healthz')).toEqual([200, { status: 'alive' }]);
  expect((await get('/metrics'))[0]).toBe(404);

  const database = await createConnection(env['DATABASE_URL'] ?? '');
  const rename = (from: string, to: string): Promise<unknown> =>
    database.query('UPDATE schema_migrations SET name = ? WHERE name = ?', [to, from]);
  await rename(newestMigration(), 'an-older-one');
  expect(await get('/readyz')).toEqual([503, { status: 'not ready' }]);
  expect((await get('/healthz'))[0]).toBe(200);
  await rename('an-older-one', newestMigration());
  await database.end();
  expect((await get('/readyz'))[0]).toBe(200);
});
