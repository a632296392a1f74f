/**
 * The kinds of work of the victim. A delivery lasts from the request that changes a record until the webhook arrives. A client of the victim
 * reads the page of an invoice, without a key. The probe measures the API's event loop alone, as a new client each time.
 */
export const works = ['get', 'list', 'create', 'pdf', 'email', 'link', 'delivery', 'page', 'probe'] as const;
export type Work = (typeof works)[number];

export interface VictimTask {
  readonly baseUrl: string;
  readonly token: string;
  readonly clientId: number;
  readonly invoiceIds: readonly number[];
  readonly works: readonly Work[];
  readonly seconds: number;
  /** The pauses between requests are so many times longer than on a quiet machine. */
  readonly slowness: number;
}

/** The requests of one kind: the durations of the successful ones in milliseconds, and the errors of the others. */
export interface Experience {
  readonly tookMs: number[];
  readonly failures: string[];
}

export type VictimReport = Partial<Record<Work, Experience>>;
