import { aligned } from '../dev/measuring/statistics';
import { connections, type Row } from './rows/Row';
import type { RowResult } from './measuring/measureInTurns';
import { type Finding, isMet } from './figures/Figure';
import type { ScaleResult } from './scale/measureScale';

/** The report for people. */
export function tableOf({ machine, rounds, seconds, rows, findings }: Report): string {
  const { cores, cpu, node, database } = machine;
  return [
    `${cores} × ${cpu}, Node ${node}, ${database}; ${connections} connections, medians of ${rounds} × ${seconds} s, by turns`,
    '',
    ...(rows.length > 0 ? [...rowTable(rows), ''] : []),
    ...aligned(findings.map(findingCells), 1),
  ].join('\n');
}

function rowTable(rows: Report['rows']): string[] {
  const head = ['', 'project', 'p50', 'p99', 'limit', 'ratio', 'at least', '', 'held against'];
  return aligned([head, ...rows.map(({ row, result }) => rowCells(row, result))], 2);
}

function rowCells(row: Row, { project, limit, ratio }: RowResult): string[] {
  const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en')}/s`;
  const ms = (value: number | null): string => (value === null ? '' : `${value.toFixed(1)} ms`);
  return [
    row.what,
    rate(project.perSecond),
    ms(project.p50Ms),
    ms(project.p99Ms),
    rate(limit.perSecond),
    ratio.toFixed(2),
    row.limit.atLeast.toFixed(2),
    verdict(ratio >= row.limit.atLeast),
    row.limit.what,
  ];
}

function findingCells(finding: Finding): string[] {
  const { what, value, atMost, atLeast } = finding;
  const digits = atLeast === undefined && atMost !== undefined ? 1 : 2;
  const bound = atMost !== undefined ? `at most ${atMost}` : atLeast !== undefined ? `at least ${atLeast}` : '';
  return [what, value.toFixed(digits), bound, bound === '' ? '' : verdict(isMet(finding))];
}

const verdict = (met: boolean): string => (met ? 'met' : 'MISSED');

/** Rows examined with few and with many records, for people. */
export function scaleTableOf(results: readonly ScaleResult[]): string {
  const head = ['rows examined', '10,000', '1,000,000', 'at most', '', 'statements'];
  return aligned([head, ...results.map(scaleCells)], 2).join('\n');
}

function scaleCells({ what, atMost, of }: ScaleResult): string[] {
  const examined = of.map(({ rows }) => rows.toLocaleString('en'));
  const many = of.at(-1) ?? { rows: 0, statements: 0 };
  const bound = atMost === null ? '' : verdict(many.rows <= atMost);
  return [what, ...examined, atMost?.toLocaleString('en') ?? '', bound, String(many.statements)];
}

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

/** The results of a run. */
export interface Report {
  machine: { cores: number; cpu: string; node: string; database: string };
  rounds: number;
  seconds: number;
  rows: { row: Row; result: RowResult }[];
  findings: Finding[];
}
