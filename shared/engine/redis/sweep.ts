import type { RedisClient } from './openClient';

const KEPT_MS = 86_400_000;

/** What one batch of a sweep did, and the id after which the next one begins; null when the end was reached. */
export interface Swept {
  readonly removed: number;
  readonly next: number | null;
}

/**
 * Goes over rows by their ids, batch after batch, until the end or the deadline (as `performance.now()` tells it). The next sweep of this
 * name goes on where one had no more time: rows that stay must not keep it from all others for ever. Returns how many were removed.
 */
export async function sweep(
  redis: RedisClient,
  key: string,
  deadline: number,
  batch: (after: number) => Promise<Swept>,
): Promise<number> {
  let removed = 0;
  let after = Number((await redis.getdel(key)) ?? 0);
  while (performance.now() < deadline) {
    const swept = await batch(after);
    removed += swept.removed;
    if (swept.next === null) return removed;
    after = swept.next;
  }
  await redis.set(key, after, 'PX', KEPT_MS);
  return removed;
}
