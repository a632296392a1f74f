import { performance } from 'node:perf_hooks';

/** Work that costs less has no consequence, in milliseconds. */
const FREE_MS = 5;
/** A company pauses this many times as long as its work cost beyond that: it then has about a twentieth of the event loop. */
const PAUSE_TIMES = 20;
const LONGEST_PAUSE_MS = 10_000;

/** Returns for how long a company pauses after work that cost so many milliseconds. */
export const pauseAfterMs = (costMs: number): number =>
  Math.min(LONGEST_PAUSE_MS, PAUSE_TIMES * Math.max(0, costMs - FREE_MS));

/**
 * Runs synchronous work of companies whose cost is known only afterwards, because a foreign server chooses it. After costly work the next
 * work of that company waits. Cheap work begins immediately, and that of other companies always does.
 */
export class CostPause {
  /** The waiting work, in order, of companies whose work runs or that pause. */
  private readonly waiting = new Map<number, (() => number)[]>();

  /**
   * Runs the work, now or after the pause of its company, and calls `charge` with its cost in milliseconds. Work that is given while other
   * work of the company runs follows it.
   */
  run(companyId: number, work: () => void, charge: (ms: number) => void): void {
    const measured = (): number => {
      const ms = costOf(work);
      charge(ms);
      return ms;
    };
    const waiting = this.waiting.get(companyId);
    if (waiting !== undefined) return void waiting.push(measured);
    this.waiting.set(companyId, [measured]);
    this.goOn(companyId);
  }

  private goOn(companyId: number): void {
    const waiting = this.waiting.get(companyId) ?? [];
    let costMs = 0;
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
      costMs += work();
      const pauseMs = pauseAfterMs(costMs);
      if (pauseMs > 0) return void setTimeout(() => this.goOn(companyId), pauseMs).unref();
    }
    this.waiting.delete(companyId);
  }
}

/** Returns milliseconds: of the processor, without the time in which the machine ran other processes; threads run at the same time. */
function costOf(work: () => void): number {
  const [at, cpu] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - at, (user + system) / 1_000);
}
