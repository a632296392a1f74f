import { runProof } from '../command/runProof';
import { tableOf } from '../faults/table';
import { rows } from './rows';
import { runCluster } from './runCluster';

runProof({
  name: 'test:cluster',
  rows,
  rounds: { full: 3, quick: 1 },
  seeded: true,
  run: runCluster,
  table: (results, options) => tableOf(results, options, '15 s of the new primary'),
});
