import type { Scan } from './Scan';

/** What one turn of a company was: `failed` leaves the rest of the company to a later scan. */
export type Served = 'more' | 'done' | 'failed';

/** A kind of what falls due, and how a company is served. */
export interface Calendar {
  /** For messages: `recurring expenses`. */
  readonly name: string;
  /** Returns the companies for which something is due. Locks nothing. */
  due(scan: Scan): Promise<number[]>;
  /**
   * Begins to serve a company. Each call of the returned function is one bounded batch. What fails is reported to the scan's observer.
   * The function throws only when MySQL or Redis is unavailable.
   */
  serve(scan: Scan, companyId: number): () => Promise<Served>;
}
