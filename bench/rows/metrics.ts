import { databaseWith } from '../installation/databaseWith';
import { seedJobs } from '../installation/seedJobs';
import type { SignalsTask } from '../signals';
import type { Row } from './Row';

const waiting = 100_000;

export const metrics: Row = {
  name: 'metrics',
  what: "a scrape's part of MySQL, 2,000,000 jobs done, 100,000 waiting",
  // At most twice the time.
  limit: { what: 'the same without jobs', atLeast: 1 / 2 },
  async prepare(bench) {
    const { installation } = bench;
    const many = await databaseWith(installation, 'jobs_many', (services) =>
      seedJobs(services, { done: 2_000_000, waiting }),
    );
    const none = await databaseWith(installation, 'jobs_none', (services) =>
      seedJobs(services, { done: 0, waiting: 0 }),
    );
    const signals = bench.startMeasurer<SignalsTask>('dist/bench/signals/index.js');
    return {
      project: (seconds) => signals.run({ variables: many, waiting, seconds }),
      limit: (seconds) => signals.run({ variables: none, waiting: 0, seconds }),
    };
  },
};
