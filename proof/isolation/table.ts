import { cpus } from 'node:os';
import { aligned } from '../../dev/measuring/aligned';
import type { Options } from '../command/options';
import { floorMs, mostLagMs, mostMegabytes, mostTimesSlower } from './limits';
import type { AttackResult, Comparison } from './Outcome';
import { works } from './victim/work';

/** Returns the results as a table. */
export function tableOf(results: readonly AttackResult[], { rounds, quick }: Options): string {
  const floor = floorMs[quick ? 'quick' : 'full'];
  const head = [
    'attack',
    ...works,
    'errors',
    'API MB',
    'API lag',
    'worker MB',
    'worker lag',
    'verdict',
    'attacker got',
  ];
  return [
    `Victim's latency in ms, median/worst without → with the attack, over ${rounds} rounds by turns; ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`,
    `A row passes: no errors, each median at most ${mostTimesSlower} times the one without (medians below ${floor} ms count as ${floor}),`,
    `no process dies, below ${mostMegabytes} MB, no event loop stands for ${mostLagMs} ms. probe is GET /healthz.`,
    '',
    ...aligned([head, ...results.map(cells)], 2),
    '',
    ...results.map(({ name, what }) => `${name}: ${what}`),
  ].join('\n');
}

function cells(result: AttackResult): string[] {
  const { name, works: compared, errors, megabytes, lagMs, problems, attacker } = result;
  return [
    name,
    ...works.map((work) => pair(compared[work])),
    String(errors),
    megabytes.api.toFixed(0),
    lagMs.api.toFixed(0),
    megabytes.worker.toFixed(0),
    lagMs.worker.toFixed(0),
    problems.length === 0 ? 'passed' : 'FAILED',
    Object.entries(attacker)
      .map(([what, count]) => `${what} × ${count}`)
      .join(', '),
  ];
}

function pair(comparison: Comparison | undefined): string {
  if (comparison === undefined) return '-';
  const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(value < 9.95 ? 1 : 0));
  const side = ({ median, worst }: Comparison['with']): string => `${ms(median)}/${ms(worst)}`;
  return `${side(comparison.without)} → ${side(comparison.with)}`;
}
