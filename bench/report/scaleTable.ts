import { aligned } from '../../dev/measuring/aligned';
import type { ScaleResult } from '../scale/measureScale';

/** Rows examined with few and with many records, for people. */
export function scaleTableOf(results: readonly ScaleResult[]): string {
  const head = ['rows examined', '10,000', '1,000,000', 'at most', '', 'statements'];
  return aligned([head, ...results.map(cells)], 2).join('\n');
}

function cells({ what, atMost, of }: ScaleResult): string[] {
  const examined = of.map(({ rows }) => rows.toLocaleString('en'));
  const many = of.at(-1) ?? { rows: 0, statements: 0 };
  const verdict = atMost === null ? '' : many.rows <= atMost ? 'met' : 'MISSED';
  return [what, ...examined, atMost?.toLocaleString('en') ?? '', verdict, String(many.statements)];
}
