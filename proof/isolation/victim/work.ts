/** The kinds of requests of the victim. The probe measures the API's event loop alone. */
export const works = ['get', 'list', 'create', 'pdf', 'email', 'probe'] as const;
export type Work = (typeof works)[number];

export interface VictimTask {
  readonly baseUrl: string;
  readonly token: string;
  readonly clientId: number;
  readonly invoiceIds: readonly number[];
  readonly works: readonly Work[];
  readonly seconds: number;
}

/** The requests of one kind: the durations of the successful ones in milliseconds, and the errors of the others. */
export interface Experience {
  readonly tookMs: number[];
  readonly failures: string[];
}

export type VictimReport = Partial<Record<Work, Experience>>;
