import { cpus } from 'node:os';
import { aligned } from '../../dev/measuring/aligned';
import type { Verdict } from './runProof';

/** The machine that a proof ran on, in words. */
export const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`;

export const verdictOf = ({ problems, skipped }: Verdict): string =>
  skipped !== null ? 'skipped' : problems.length === 0 ? 'passed' : 'FAILED';

/** Returns lines, a table of the results, and a description of each row. The last `leftAtEnd` columns are texts. */
export function resultTable<R extends Verdict & { readonly what: string }>(
  before: readonly string[],
  head: readonly string[],
  results: readonly R[],
  cells: (result: R) => string[],
  leftAtEnd: number,
): string {
  const rows = aligned([head, ...results.map(cells)], leftAtEnd);
  return [...before, '', ...rows, '', ...results.map(({ name, what }) => `${name}: ${what}`)].join('\n');
}
