/** What the victim does all day, and the probe of the API's event loop, which touches nothing but it. */
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

/** The requests of one kind: how long those took that succeeded, in milliseconds, and how the others failed. */
export interface Experience {
  readonly tookMs: number[];
  readonly failures: string[];
}

export type VictimReport = Partial<Record<Work, Experience>>;
