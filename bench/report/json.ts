import { isMet } from '../figures/Figure';
import { connections } from '../rows/Row';
import type { Report } from './Report';

/** The report for programs. Rates are per second, times in milliseconds, memory in megabytes. */
export function jsonOf({ rows, findings, ...report }: Report): string {
  const rowsOut = rows.map(({ row: { name, what, limit }, result }) => ({
    name,
    what,
    heldAgainst: limit.what,
    atLeast: limit.atLeast,
    met: result.ratio >= limit.atLeast,
    ...result,
  }));
  const findingsOut = findings.map((finding) => ({ ...finding, met: isMet(finding) }));
  return JSON.stringify({ ...report, connections, rows: rowsOut, findings: findingsOut }, null, 2);
}
