import { aligned } from '../../dev/measuring/aligned';
import { connections, type Row } from '../rows/Row';
import type { RowResult } from '../measuring/measureInTurns';
import { isMet, type Finding } from '../figures/Figure';
import type { Report } from './Report';

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
  return aligned([head, ...rows.map(({ row, result }) => cells(row, result))], 2);
}

function cells(row: Row, { project, limit, ratio }: RowResult): string[] {
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
  const { what, value, atMost } = finding;
  return [what, value.toFixed(1), `at most ${atMost}`, verdict(isMet(finding))];
}

const verdict = (met: boolean): string => (met ? 'met' : 'MISSED');
