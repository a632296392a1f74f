import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../config/env';
import { freePort } from '../../dev/servers/freePort';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { createLogger } from '../../shared/engine/log/log';
import { openServices } from '../../shared/openServices';
import { FreshInvoices } from '../rows/FreshInvoices';
import type { Bench } from '../rows/Row';
import { seedInvoices } from './seedInvoices';
import type { Process } from './startInstallation';

/**
 * Other APIs and workers on a database and queues of their own, with the same invoices, on the servers of the
 * benchmark.
 */
export interface BenchBeside extends Bench {
  startApi(): Promise<Process & { url: string }>;
  startWorker(): Promise<Process>;
}

/**
 * Creates the database and seeds it; starts no process.
 * @param variables over those of the benchmark
 */
export async function benchBeside(bench: Bench, name: string, variables: Record<string, string>): Promise<BenchBeside> {
  const { installation } = bench;
  const connection = await createConnection(installation.databaseUrl);
  await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci`);
  await connection.end();
  const databaseUrl = installation.databaseUrl.replace(/\/[^/]*$/, `/${name}`);
  await migrateUp(databaseUrl);
  const own = {
    ...installation.variables,
    DATABASE_URL: databaseUrl,
    REDIS_PREFIX: name,
    FILES_DIR: `${bench.dataDir}/${name}`,
    ...variables,
  };
  const services = openServices({ config: loadConfig(own), log: createLogger('warn', 'bench'), listenTo: [] });
  const seeded = { ...installation.seeded, ...(await seedInvoices(services)) };
  const port = await freePort();
  const beside = { ...installation, apiUrl: `http://127.0.0.1:${port}`, databaseUrl, variables: own, seeded, services };
  let started = 0;
  const start = (entry: 'api' | 'workers', given: Record<string, string> = {}): Promise<Process> =>
    installation.startProcess(`${name}-${++started}`, entry, { ...own, ...given });
  return {
    ...bench,
    installation: beside,
    fresh: new FreshInvoices(beside),
    startApi: async () => {
      // The first has the address of `apiUrl`.
      const at = started === 0 ? port : await freePort();
      return { ...(await start('api', { PORT: String(at) })), url: `http://127.0.0.1:${at}` };
    },
    startWorker: () => start('workers'),
  };
}
