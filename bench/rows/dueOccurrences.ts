import { seedDueSeries } from '../installation/seedSeries';
import type { BareRollTask } from '../limits/rollExpenses';
import type { ScanTask } from '../scans';
import type { Row } from './Row';

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
      project: () => scans.run({ variables }),
      limit: (seconds) => bare.run({ databaseUrl, companyId, seconds }),
    };
  },
};
