import { LRUCache } from 'lru-cache';

interface Count {
  failures: number;
  until: number;
}

/** Networks of which a count is kept; the least recently seen are forgotten. */
const MAX_NETWORKS = 50_000;

/** Counts failures of each network in windows of fixed length. */
export class FailureCounts {
  private readonly counts = new LRUCache<string, Count>({ max: MAX_NETWORKS });

  /** At most `allowed` failures in `windowMs`. */
  constructor(
    private readonly allowed: number,
    private readonly windowMs: number,
  ) {}

  /** Counts one, also for an attempt whose end is not known yet: {@link takeBack} it when it succeeds. */
  add(network: string, now: number): void {
    this.current(network, now).failures += 1;
  }

  takeBack(network: string, now: number): void {
    const count = this.current(network, now);
    count.failures = Math.max(0, count.failures - 1);
  }

  /** Milliseconds until the network may fail again; 0 where it is within its limit. */
  blockedFor(network: string, now: number): number {
    const { failures, until } = this.current(network, now);
    return failures > this.allowed ? until - now : 0;
  }

  private current(network: string, now: number): Count {
    const known = this.counts.get(network);
    if (known !== undefined && known.until > now) return known;
    const fresh = { failures: 0, until: now + this.windowMs };
    this.counts.set(network, fresh);
    return fresh;
  }
}
