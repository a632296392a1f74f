import { loadConfig } from '../../config/env';
import { ensureDatabase } from '../../dev/servers/ensureDatabase';
import { freePort } from '../../dev/servers/freePort';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { createLogger } from '../../shared/engine/log/log';
import { openServices } from '../../shared/openServices';
import { FreshInvoices } from '../rows/FreshInvoices';
import type { Bench } from '../rows/Row';
import { seedInvoices } from './seedInvoices';
import type { Machine } from '../../dev/installation/Machine';

/**
 * Other APIs and workers on a database and queues of their own, with the same invoices, on the servers of the
 * benchmark.
 */
export interface BenchBeside extends Bench {
  startApi(): Promise<Machine>;
  startWorker(): Promise<Machine>;
}

/**
 * Creates the database and seeds it; starts no process.
 * @param variables over those of the benchmark
 */
export async function benchBeside(bench: Bench, name: string, variables: Record<string, string>): Promise<BenchBeside> {
  const { installation } = bench;
  const databaseUrl = installation.databaseUrl.replace(/\/[^/]*$/, `/${name}`);
  await ensureDatabase(databaseUrl);
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
  const start = (entry: 'api' | 'workers', given: Record<string, string> = {}): Promise<Machine> =>
    installation.startProcess(`${name}-${++started}`, entry, { ...own, ...given });
  return {
    ...bench,
    installation: beside,
    fresh: new FreshInvoices(beside),
    startApi: async () => {
      // The first has the address of `apiUrl`.
      const at = started === 0 ? port : await freePort();
      return start('api', { PORT: String(at) });
    },
    startWorker: () => start('workers'),
  };
}
