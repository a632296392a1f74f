import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase } from '../../dev/servers/ensureDatabase';
import { guardFolder } from '../../dev/servers/guard';
import { openTcpProxy } from '../../dev/servers/tcpProxy';
import { type MysqlNode, Replication } from '../../proof/installation/MysqlServers';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { createCategory, createCompany } from '../support/factories';
import { atEnd } from '../support/installation';
import { startApi } from '../support/server';

const dataDir = mkdtempSync(join(tmpdir(), 'invoicing-failover-'));
let servers: Replication;
beforeAll(async () => {
  guardFolder(dataDir);
  servers = await Replication.start(dataDir, () => undefined);
  await ensureDatabase(`${servers.primary.url}/invoicing`);
  await migrateUp(servers.primary.databaseUrl());
});
// After what is connected to them has closed its connections.
afterAll(async () => {
  await servers.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a primary that has become read-only, with connections that are still open › no request fails', async () => {
  const { primary, replica } = servers;
  let writer: MysqlNode = primary;
  const proxy = await openTcpProxy(() => writer.url);
  atEnd(() => proxy.close());
  const api = await startApi({ env: { DATABASE_URL: writer.databaseUrl(proxy.url) } });
  const { services } = api;
  const { companyId, token } = await createCompany(services);
  const many = Array.from({ length: 8 }, (_, index) => index);
  await Promise.all(many.map(() => createCategory(services, companyId)));

  await servers.handOver();
  writer = replica;
  await Promise.all(
    many.map((index) =>
      api
        .as(token)
        .post('/api/categories')
        .send({ name: `after ${index}` })
        .expect(201),
    ),
  );
  const { body } = await api.as(token).get('/api/categories?limit=100').expect(200);
  expect((body as { total: number }).total).toBe(16);
  const [row] = await primary.ask("SELECT COUNT(*) AS written FROM invoicing.categories WHERE name LIKE 'after %'");
  expect(row?.['written']).toBe(0);
});
