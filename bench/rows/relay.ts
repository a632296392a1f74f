import { databaseWith } from '../installation/databaseWith';
import { seedJobs } from '../installation/seedJobs';
import type { RelayTask } from '../relay';
import type { Row, Side } from './Row';

/** What one call queues of a backlog: until so many wait, and then the first jobs of each company, of which there is one. */
const OF_BACKLOG = 10_020;
const FEW = 1_000;

export const relayDueJobs: Row = {
  name: 'relay',
  what: '1,000,000 jobs due after an outage, relayed',
  limit: { what: 'the same with 1,000 due', atLeast: 0.9 },
  async prepare(bench) {
    const relay = bench.startMeasurer<RelayTask>('dist/bench/relay/index.js');
    const side = async (name: string, waiting: number, queued: number): Promise<Side> => {
      const of = await databaseWith(bench.installation, name, (services) => seedJobs(services, { done: 0, waiting }));
      const variables = { ...of, REDIS_PREFIX: name };
      return (seconds) => relay.run({ variables, queued, seconds });
    };
    return { project: await side('relay_many', 1_000_000, OF_BACKLOG), limit: await side('relay_few', FEW, FEW) };
  },
};
