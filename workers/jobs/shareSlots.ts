import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedQueue } from './ServedQueue';

/** How long an entry is deferred while its company has no slot. */
const PUT_OFF_MS = 250;
/** What deferring an entry costs the event loop, in milliseconds. */
export const PUT_OFF_COST_MS = 1;
/**
 * How long an entry keeps its slot before it is deferred, for each slot of the queue. A backlog of one company is not deferred too fast, and
 * another company's entry gets one of the kept slots after a few milliseconds, however few the queue has.
 */
const HELD_MS = 2.5;
/**
 * A company counts as active in a queue for this long after its last entry: that of a person who prints every few seconds finds a free slot.
 */
const ACTIVE_MS = 10_000;

/**
 * Shares the slots of a queue, or of several, between companies: while others are active, a company takes a further slot as long as it holds
 * fewer than are free, so that there is one for another company whose work comes next. Where two queues hand out more than there are slots,
 * a company that holds none begins, too: its work finds its own place. The work, which costs about `costMs`, runs within
 * the company's share of the processor.
 */
export function shareSlots(slots: number, costMs: number, process: ServedQueue['process']): ServedQueue['process'] {
  const held = new Map<number, number>();
  let free = slots;
  /** The last two companies with an entry. */
  let latest = { companyId: NaN, at: -Infinity };
  let before = latest;
  const note = (companyId: number): void => {
    if (companyId !== latest.companyId) before = latest;
    latest = { companyId, at: performance.now() };
  };
  const isAlone = (companyId: number): boolean => {
    if (held.size > (held.has(companyId) ? 1 : 0)) return false;
    return performance.now() - before.at > ACTIVE_MS;
  };
  const count = (companyId: number, change: 1 | -1): void => {
    const left = (held.get(companyId) ?? 0) + change;
    if (left === 0) held.delete(companyId);
    else held.set(companyId, left);
    free -= change;
  };
  return async (entry) => {
    const { companyId, loop } = entry;
    if (companyId === undefined) return process(entry);
    note(companyId);
    if ((held.get(companyId) ?? 0) >= Math.max(free, 1) && !isAlone(companyId)) {
      loop.charge(companyId, PUT_OFF_COST_MS);
      await sleep(HELD_MS * slots);
      return { delayMs: PUT_OFF_MS, notStarted: true };
    }
    count(companyId, 1);
    try {
      return await loop.run(companyId, costMs, () => process(entry));
    } finally {
      count(companyId, -1);
    }
  };
}
