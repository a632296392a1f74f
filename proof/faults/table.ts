import type { Options } from '../command/options';
import { machine, resultTable, verdictOf } from '../command/resultTable';
import { countNames } from './Counts';
import type { FaultResult } from './Fault';

const head = ['fault', 'rounds', ...countNames, 'recovery s (median/worst)', 'verdict'];

/** Returns the results as a table. `within` is the limit of a recovery, in words. */
export function tableOf(results: readonly FaultResult[], { seed }: Options, within = '30 s'): string {
  const before = [
    `Counted from outside; --seed ${seed}; ${machine}`,
    `A row passes: nothing lost, nothing doubled, uncertain only where a worker died, everything works again within ${within}.`,
  ];
  return resultTable(before, head, results, cells, 1);
}

function cells(result: FaultResult): string[] {
  const { name, rounds, recoverySeconds } = result;
  const seconds = `${recoverySeconds.median.toFixed(1)}/${recoverySeconds.worst.toFixed(1)}`;
  return [name, String(rounds), ...countNames.map((count) => String(result[count])), seconds, verdictOf(result)];
}
