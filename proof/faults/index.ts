import { runProof } from '../command/runProof';
import { faults } from './rows';
import { runFaults } from './runFaults';
import { tableOf } from './table';

runProof({
  name: 'test:faults',
  rows: faults,
  rounds: { full: 10, quick: 1 },
  seeded: true,
  run: runFaults,
  table: tableOf,
});
