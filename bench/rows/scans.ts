import { databaseWith } from '../installation/databaseWith';
import { seedDueSeries, seedQuietSeries } from '../installation/seedSeries';
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
    const many = await databaseWith(bench.installation, 'scans_many', (services) =>
      seedQuietSeries(services, 1_000_000),
    );
    const few = await databaseWith(bench.installation, 'scans_few', (services) => seedQuietSeries(services, 10_000));
    const scans = bench.startMeasurer<ScanTask>('dist/bench/scans/index.js');
    return {
      project: (seconds) => scans.run({ what: 'nothing due', variables: many, seconds }),
      limit: (seconds) => scans.run({ what: 'nothing due', variables: few, seconds }),
    };
  },
};
