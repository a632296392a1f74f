import { runProof } from '../command/runProof';
import { tableOf } from '../faults/runFaults';
import { engines, runCluster } from './runCluster';

runProof({
  name: 'test:cluster',
  rows: engines.flatMap(({ rows }) => rows),
  rounds: { full: 3, quick: 1 },
  seeded: true,
  run: runCluster,
  table: (results, options) =>
    tableOf(results, options, '15 s of the new primary, 30 s of the bucket, 120 s of growth'),
});
