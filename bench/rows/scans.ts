import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../config/env';
import { migrateUp } from '../../shared/kernel/database/migrate';
import { createLogger } from '../../shared/kernel/log';
import { openServices } from '../../shared/openServices';
import { seedDueSeries, seedQuietSeries } from '../installation/seedSeries';
import type { BareRollTask } from '../limits/rollExpenses';
import type { ScanTask } from '../scans';
import type { Bench, Row } from './Row';

const dueSeries = 10_000;
const firstDay = '2030-01-01';

export const dueOccurrences: Row = {
  name: 'occurrences',
  what: '10,000 occurrences due, one worker',
  limit: { what: 'bare transactions, one occurrence each', atLeast: 1 },
  async prepare(bench) {
    const { services, databaseUrl, variables } = bench.installation;
    await seedDueSeries(services, dueSeries, firstDay);
    const companyId = await seedDueSeries(services, dueSeries, firstDay);
    await services.sql.run("UPDATE expenses SET dueAt = '2099-01-01' WHERE companyId = ?", [companyId]);
    const scans = bench.startMeasurer<ScanTask>('dist/bench/scans/index.js');
    const bare = bench.startMeasurer<BareRollTask>('dist/bench/limits/rollExpenses.js');
    return {
      project: () => scans.run({ what: 'all due', variables }),
      limit: (seconds) => bare.run({ databaseUrl, companyId, seconds }),
    };
  },
};

export const emptyScan: Row = {
  name: 'empty-scan',
  what: 'a scan with nothing due, 1,000,000 series',
  // At most 1.5 times the time.
  limit: { what: 'the same scan at 10,000 series', atLeast: 1 / 1.5 },
  async prepare(bench) {
    const many = await databaseWith(bench, 'scans_many', 1_000_000);
    const few = await databaseWith(bench, 'scans_few', 10_000);
    const scans = bench.startMeasurer<ScanTask>('dist/bench/scans/index.js');
    return {
      project: (seconds) => scans.run({ what: 'nothing due', variables: many, seconds }),
      limit: (seconds) => scans.run({ what: 'nothing due', variables: few, seconds }),
    };
  },
};

/** Creates another database with nothing but series on the same server. Returns an environment that names it. */
async function databaseWith(bench: Bench, name: string, series: number): Promise<Record<string, string>> {
  const { databaseUrl, variables } = bench.installation;
  const connection = await createConnection(databaseUrl);
  await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci`);
  await connection.end();
  const own = { ...variables, DATABASE_URL: databaseUrl.replace(/\/[^/]*$/, `/${name}`) };
  await migrateUp(own.DATABASE_URL);
  const config = loadConfig({ ...own, DATABASE_TIMEOUT_MS: '600000' });
  const services = openServices({ config, log: createLogger('warn', 'bench'), listenTo: [] });
  await seedQuietSeries(services, series);
  await services.close();
  return own;
}
