import { runProof } from '../command/runProof';
import { rows } from './rows';
import { runUpgrade, tableOf } from './runUpgrade';

runProof({
  name: 'test:upgrade',
  rows,
  rounds: { full: 3, quick: 1 },
  seeded: false,
  hasEarlierRelease: true,
  run: runUpgrade,
  table: tableOf,
});
