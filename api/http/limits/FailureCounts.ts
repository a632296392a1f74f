import { LRUCache } from 'lru-cache';
import { type Clock, expiringAfter } from '../../../shared/engine/clock';

/** Networks that are counted; the least recently seen ones are dropped. */
const MAX_NETWORKS = 50_000;

/** Counts failures of each network in windows of fixed length. */
export class FailureCounts {
  private readonly counts: LRUCache<string, number>;

  /** Allows at most `allowed` failures in `windowMs`. */
  constructor(
    private readonly allowed: number,
    windowMs: number,
    clock: Clock,
  ) {
    // A window begins with its first failure, and later failures do not extend it.
    this.counts = new LRUCache({ max: MAX_NETWORKS, ...expiringAfter(windowMs, clock), noUpdateTTL: true });
  }

  /** Counts a failure. An attempt in progress counts as one; {@link takeBack} it when it succeeds. */
  add(network: string): void {
    this.counts.set(network, this.failuresOf(network) + 1);
  }

  takeBack(network: string): void {
    this.counts.set(network, Math.max(0, this.failuresOf(network) - 1));
  }

  /** Returns the milliseconds until the network may try again; 0 within its limit. */
  blockedFor(network: string): number {
    return this.failuresOf(network) > this.allowed ? this.counts.getRemainingTTL(network) : 0;
  }

  private failuresOf(network: string): number {
    return this.counts.get(network) ?? 0;
  }
}
