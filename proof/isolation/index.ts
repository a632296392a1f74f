import { runProof } from '../command/runProof';
import { attacks } from './attacks';
import { runAttacks, tableOf } from './runAttacks';

runProof({
  name: 'test:isolation',
  rows: attacks,
  rounds: { full: 2, quick: 1 },
  seeded: false,
  run: runAttacks,
  table: tableOf,
});
