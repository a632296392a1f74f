import { runProof } from '../command/runProof';
import type { FaultResult } from '../faults/Fault';
import { tableOf } from '../faults/table';
import { bucketRows } from './bucket/rows';
import { runBucket } from './bucket/runBucket';
import { rows } from './rows';
import { runCluster } from './runCluster';

runProof<FaultResult>({
  name: 'test:cluster',
  rows: [...rows, ...bucketRows],
  rounds: { full: 3, quick: 1 },
  seeded: true,
  run: async (run, options, report) => [
    ...(await runCluster(run, options, report)),
    ...(await runBucket(run, options, report)),
  ],
  table: (results, options) => tableOf(results, options, '15 s of the new primary, 30 s of the bucket'),
});
