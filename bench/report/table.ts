import { aligned } from '../../dev/measuring/aligned';
import { breath, watchedPdfs, type MemoryResult } from '../measuring/measureMemory';
import { connections, type Row } from '../rows/Row';
import type { RowResult } from '../measuring/measureInTurns';
import type { Report } from './Report';

/** The report for people. */
export function tableOf({ machine, rounds, seconds, rows, memory }: Report): string {
  const { cores, cpu, node, database } = machine;
  return [
    `${cores} × ${cpu}, Node ${node}, ${database}; ${connections} connections, medians of ${rounds} × ${seconds} s, by turns`,
    '',
    ...aligned(
      [
        ['', 'project', 'p50', 'p99', 'limit', 'ratio', 'at least', '', 'held against'],
        ...rows.map(({ row, result }) => cells(row, result)),
      ],
      2,
    ),
    '',
    ...memory.map(memoryLine),
  ].join('\n');
}

function cells(row: Row, { project, limit, ratio }: RowResult): string[] {
  const rate = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en')}/s`;
  const ms = (value: number | null): string => (value === null ? '' : `${value.toFixed(1)} ms`);
  return [
    row.what,
    rate(project.perSecond),
    ms(project.p50Ms),
    ms(project.p99Ms),
    ...(row.limit && limit && ratio !== null
      ? [rate(limit.perSecond), ratio.toFixed(2), row.limit.atLeast.toFixed(2), verdict(ratio >= row.limit.atLeast)]
      : ['', '', '', '']),
    row.limit?.what ?? '',
  ];
}

function memoryLine({ process, afterRun, below, growth }: MemoryResult): string {
  const size = (megabytes: number): string => `${Math.round(megabytes)} MB`;
  const limit = `${process} memory after the run: ${size(afterRun)}, below ${below} MB: ${verdict(afterRun < below)}`;
  if (growth === null) return limit;
  const { before, after } = growth;
  const grown = `over ${watchedPdfs.toLocaleString('en')} PDFs: ${size(before)} → ${size(after)}`;
  return `${limit}; ${grown}, no growth: ${verdict(after - before < breath && after < below)}`;
}

const verdict = (met: boolean): string => (met ? 'met' : 'MISSED');
