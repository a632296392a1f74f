/** Where time comes in. Tests and operators (`--as-of`) set another one. */
export interface Clock {
  now(): Date;
}

/** Options of an LRUCache whose entries expire after `ttl` milliseconds by `clock`, to the millisecond. */
export function expiringAfter(ttl: number, clock: Clock) {
  return { ttl, ttlResolution: 0, perf: { now: () => clock.now().getTime() } };
}
