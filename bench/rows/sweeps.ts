import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../config/env';
import { migrateUp } from '../../shared/database/migrate';
import { createLogger } from '../../shared/log';
import { openServices } from '../../shared/services';
import { seedDueSeries, seedQuietSeries } from '../installation/seedSeries';
import type { BareRollTask } from '../limits/rollExpenses';
import type { SweepTask } from '../sweeps';
import type { Bench, Row } from './Row';

const dueAtOnce = 10_000;
const firstDay = '2030-01-01';

export const dueOccurrences: Row = {
  name: 'occurrences',
  what: '10,000 occurrences due at once, one worker',
  limit: { what: 'bare transactions, one occurrence each', atLeast: 1 },
  async prepare(bench) {
    const { services, databaseUrl, variables } = bench.installation;
    await seedDueSeries(services, dueAtOnce, firstDay);
    const companyId = await seedDueSeries(services, dueAtOnce, firstDay);
    await services.sql.run("UPDATE expenses SET dueAt = '2099-01-01' WHERE companyId = ?", [companyId]);
    const sweeps = bench.startMeasurer<SweepTask>('dist/bench/sweeps/index.js');
    const bare = bench.startMeasurer<BareRollTask>('dist/bench/limits/rollExpenses.js');
    return {
      project: () => sweeps.run({ what: 'all due', variables }),
      limit: (seconds) => bare.run({ databaseUrl, companyId, seconds }),
    };
  },
};

export const emptySweep: Row = {
  name: 'empty-sweep',
  what: 'a sweep with nothing due, 1,000,000 series',
  // At most 1.5 times the time.
  limit: { what: 'the same sweep at 10,000 series', atLeast: 1 / 1.5 },
  async prepare(bench) {
    const many = await databaseWith(bench, 'sweeps_many', 1_000_000);
    const few = await databaseWith(bench, 'sweeps_few', 10_000);
    const sweeps = bench.startMeasurer<SweepTask>('dist/bench/sweeps/index.js');
    return {
      project: (seconds) => sweeps.run({ what: 'nothing due', variables: many, seconds }),
      limit: (seconds) => sweeps.run({ what: 'nothing due', variables: few, seconds }),
    };
  },
};

/** Another database on the same server, with nothing but series; answers the environment that points at it. */
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
