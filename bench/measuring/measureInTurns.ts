import { setTimeout as sleep } from 'node:timers/promises';
import type { Sides } from '../rows/Row';
import { median } from '../../dev/measuring/statistics';
import type { Sample } from './Sample';

/** The medians of one side's measurements. */
export interface SideResult {
  perSecond: number;
  p50Ms: number | null;
  p99Ms: number | null;
  /** Of each measurement. */
  rates: number[];
}

export interface RowResult {
  project: SideResult;
  limit: SideResult;
  /** The median of the ratios of all rounds, so that a temporary slowdown of the machine affects both sides. */
  ratio: number;
}

/** Code that runs a few hundred times a second is compiled within this time. */
const mostWarmUpSeconds = 3;
/** A pause in which work in progress at the end of a measurement completes before the next one. */
const settleMs = 300;

/** Measures both sides in turns, after a warm-up of each. The order changes with every round. */
export async function measureInTurns(
  sides: Sides,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<RowResult> {
  const project: Sample[] = [];
  const limit: Sample[] = [];
  const turns = [
    [sides.project, project],
    [sides.limit, limit],
  ] as const;
  for (const [side] of turns) await side(Math.min(seconds, mostWarmUpSeconds));
  for (let round = 0; round < rounds; round++) {
    for (const [side, samples] of round % 2 === 0 ? turns : turns.toReversed()) {
      await sleep(settleMs);
      samples.push(await side(seconds));
    }
  }
  const ratios = project.map(({ perSecond }, round) => perSecond / (limit[round]?.perSecond ?? NaN));
  return { project: resultOf(project), limit: resultOf(limit), ratio: median(ratios) };
}

function resultOf(samples: readonly Sample[]): SideResult {
  const medianOf = (field: 'p50Ms' | 'p99Ms'): number | null => {
    const known = samples.map((sample) => sample[field]).filter((value) => value !== null);
    return known.length === 0 ? null : median(known);
  };
  const rates = samples.map(({ perSecond }) => perSecond);
  return { perSecond: median(rates), p50Ms: medianOf('p50Ms'), p99Ms: medianOf('p99Ms'), rates };
}
