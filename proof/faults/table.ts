import { cpus } from 'node:os';
import { aligned } from '../../dev/measuring/aligned';
import type { Options } from '../command/options';
import type { FaultResult } from './Fault';

const head = [
  'fault',
  'rounds',
  'accepted',
  'expected',
  'found',
  'lost',
  'doubled',
  'uncertain',
  'recovery s (median/worst)',
  'verdict',
];

/** Returns the results as a table. `within` is the recovery that a row may take, in words. */
export function tableOf(results: readonly FaultResult[], { seed }: Options, within = '30 s'): string {
  return [
    `Counted from outside; --seed ${seed}; ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`,
    `A row passes: nothing lost, nothing doubled, uncertain only where a worker died, everything works again within ${within}.`,
    '',
    ...aligned([head, ...results.map(cells)], 1),
    '',
    ...results.map(({ name, what }) => `${name}: ${what}`),
  ].join('\n');
}

function cells(result: FaultResult): string[] {
  const { name, rounds, accepted, expected, found, lost, doubled, uncertain, recoverySeconds, problems, skipped } =
    result;
  const counts = [rounds, accepted, expected, found, lost, doubled, uncertain].map(String);
  const seconds = `${recoverySeconds.median.toFixed(1)}/${recoverySeconds.worst.toFixed(1)}`;
  return [name, ...counts, seconds, skipped !== null ? 'skipped' : problems.length === 0 ? 'passed' : 'FAILED'];
}
