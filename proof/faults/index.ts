import { runProof } from '../command/runProof';
import { faults } from './rows';
import { runFaults, tableOf } from './runFaults';

runProof({
  name: 'test:faults',
  rows: faults,
  rounds: { full: 10, quick: 1 },
  seeded: true,
  run: runFaults,
  table: tableOf,
});
