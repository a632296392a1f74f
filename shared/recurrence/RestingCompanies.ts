import { LRUCache } from 'lru-cache';
import type { Clock } from '../engine/clock';

/** How long a company that failed rests: doubled with each further failure. */
const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;

interface Rest {
  failures: number;
  until: number;
}

/**
 * Companies whose part of a calendar failed as a whole. Scans skip them for a while, so that a hundred failing companies cost the others
 * almost nothing. Each process keeps its own list.
 */
export class RestingCompanies {
  /** Bounded: what was due of a company may be gone before it is served again. */
  private readonly rests = new LRUCache<string, Rest>({ max: 10_000 });

  constructor(private readonly clock: Clock) {}

  has(calendar: string, companyId: number): boolean {
    const rest = this.rests.get(`${calendar} ${companyId}`);
    return rest !== undefined && this.clock.now().getTime() < rest.until;
  }

  failed(calendar: string, companyId: number): void {
    const key = `${calendar} ${companyId}`;
    const failures = (this.rests.get(key)?.failures ?? 0) + 1;
    const restMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
    this.rests.set(key, { failures, until: this.clock.now().getTime() + restMs });
  }

  succeeded(calendar: string, companyId: number): void {
    this.rests.delete(`${calendar} ${companyId}`);
  }
}
