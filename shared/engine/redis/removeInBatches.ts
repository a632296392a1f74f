import type { RedisClient } from './openClient';

const KEPT_MS = 86_400_000;

/** How many rows a batch has removed, and the id after which the next one begins; null when the end was reached. */
export interface Batch {
  readonly removed: number;
  readonly next: number | null;
}

/**
 * Runs `batch` after `batch` over rows in the order of their ids, until the end or the deadline (of `performance.now()`). If the deadline
 * comes first, the next call with this `key` continues after the last batch: rows that stay would otherwise keep it from the others for
 * ever. Returns how many rows were removed.
 */
export async function removeInBatches(
  redis: RedisClient,
  key: string,
  deadline: number,
  batch: (after: number) => Promise<Batch>,
): Promise<number> {
  let removed = 0;
  let after = Number((await redis.getdel(key)) ?? 0);
  while (performance.now() < deadline) {
    const done = await batch(after);
    removed += done.removed;
    if (done.next === null) return removed;
    after = done.next;
  }
  await redis.set(key, after, 'PX', KEPT_MS);
  return removed;
}
