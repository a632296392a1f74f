import type { Scan } from './Scan';

/** The result of one turn of a company: `failed` leaves the rest of the company to a later scan. */
export type Served = 'more' | 'done' | 'failed';

/** A kind of due work, and how a company is served. */
export interface Calendar {
  /** For messages: `recurring expenses`. */
  readonly name: string;
  /** Returns the companies for which something is due. Locks nothing. */
  due(scan: Scan): Promise<number[]>;
  /**
   * Begins to serve a company. Each call of the returned function does one batch of limited size. Failures are reported to the scan's
   * observer. The function throws only when MySQL or Redis is unavailable.
   */
  serve(scan: Scan, companyId: number): () => Promise<Served>;
}
