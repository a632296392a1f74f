import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../config/env';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { createLogger } from '../../shared/engine/log/log';
import type { Services } from '../../shared/services';
import { openServices } from '../../shared/openServices';
import type { Installation } from './startInstallation';

/** Creates another database on the server of the installation, with only what `seed` adds. Returns an environment that names it. */
export async function databaseWith(
  { databaseUrl, variables }: Pick<Installation, 'databaseUrl' | 'variables'>,
  name: string,
  seed: (services: Services) => Promise<void>,
): Promise<Record<string, string>> {
  const connection = await createConnection(databaseUrl);
  await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci`);
  await connection.end();
  const own = { ...variables, DATABASE_URL: databaseUrl.replace(/\/[^/]*$/, `/${name}`) };
  await migrateUp(own.DATABASE_URL);
  const config = loadConfig({ ...own, DATABASE_TIMEOUT_MS: '600000' });
  const services = openServices({ config, log: createLogger('warn', 'bench'), listenTo: [] });
  await seed(services);
  await services.close();
  return own;
}
