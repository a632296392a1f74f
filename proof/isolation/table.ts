import type { Options } from '../command/options';
import { machine, resultTable, verdictOf } from '../command/resultTable';
import { floorMs, mostLagMs, mostMegabytes, mostTimesSlower } from './limits';
import type { AttackResult, Comparison } from './Outcome';
import { works } from './victim/work';

/** Returns the results as a table. */
export function tableOf(results: readonly AttackResult[], { rounds, quick }: Options): string {
  const floor = floorMs[quick ? 'quick' : 'full'];
  const before = [
    `Victim's latency in ms, median/worst without → with the attack, over ${rounds} rounds by turns; ${machine}`,
    `A row passes: no errors, each median at most ${mostTimesSlower} times the one without (medians below ${floor} ms count as ${floor}),`,
    `no process dies, below ${mostMegabytes} MB, no event loop is blocked for ${mostLagMs} ms. probe is GET /healthz.`,
  ];
  const measured = ['errors', 'API MB', 'API lag', 'worker MB', 'worker lag'];
  return resultTable(before, ['attack', ...works, ...measured, 'verdict', 'attacker got'], results, cells, 2);
}

function cells(result: AttackResult): string[] {
  const { name, works: compared, errors, megabytes, lagMs, attacker } = result;
  return [
    name,
    ...works.map((work) => pair(compared[work])),
    String(errors),
    megabytes.api.toFixed(0),
    lagMs.api.toFixed(0),
    megabytes.worker.toFixed(0),
    lagMs.worker.toFixed(0),
    verdictOf(result),
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
