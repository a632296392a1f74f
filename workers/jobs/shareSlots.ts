import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedQueue } from './ServedQueue';

/** How long an entry is put off for which its company has no slot. */
const PUT_OFF_MS = 250;
/** It keeps its place for this long, so that a backlog of one company is not put off entry by entry all the time. */
const HELD_MS = 25;

/**
 * Shares the slots of a queue between companies: while others are active, a company takes a further slot as long as it holds fewer
 * than are free, so that there is one for another company whose work comes next. The work, which costs about `costMs`, runs within the
 * company's share of the processor.
 */
export function shareSlots(slots: number, costMs: number, process: ServedQueue['process']): ServedQueue['process'] {
  const held = new Map<number, number>();
  let free = slots;
  const count = (companyId: number, change: 1 | -1): void => {
    const left = (held.get(companyId) ?? 0) + change;
    if (left === 0) held.delete(companyId);
    else held.set(companyId, left);
    free -= change;
  };
  return async (entry) => {
    const { companyId, loop } = entry;
    if (companyId === undefined) return process(entry);
    if ((held.get(companyId) ?? 0) >= free && !loop.isAlone(companyId)) {
      await sleep(HELD_MS);
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
