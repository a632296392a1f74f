import { connections } from '../rows/Row';
import type { Report } from './Report';

/** The report for programs. Rates are per second, times in milliseconds, memory in megabytes. */
export function jsonOf({ rows, ...report }: Report): string {
  const rowsOut = rows.map(({ row: { name, what, limit }, result }) => ({
    name,
    what,
    heldAgainst: limit?.what ?? null,
    atLeast: limit?.atLeast ?? null,
    met: limit === null || result.ratio === null ? null : result.ratio >= limit.atLeast,
    ...result,
  }));
  return JSON.stringify({ ...report, connections, rows: rowsOut }, null, 2);
}
