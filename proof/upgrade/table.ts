import { machine, resultTable, verdictOf } from '../command/resultTable';
import { countNames } from '../faults/Counts';
import type { UpgradeResult } from './runUpgrade';

const head = ['row', ...countNames, 'verdict', 'responses'];

/** Returns the results as a table. */
export function tableOf(results: readonly UpgradeResult[]): string {
  const before = [
    `Earlier release: ${results[0]?.earlier.slice(0, 7) || 'none'}; ${machine}`,
    'A row passes: nothing lost, doubled or uncertain, and no request failed but with 503 or a refused connection (one reset for each API counts as refused).',
  ];
  return resultTable(before, head, results, cells, 1);
}

function cells(result: UpgradeResult): string[] {
  const seen = Object.entries(result.responses).map(([response, count]) => `${count} × ${response}`);
  return [result.name, ...countNames.map((count) => String(result[count])), verdictOf(result), seen.join(', ')];
}
