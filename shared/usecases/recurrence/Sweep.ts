import type { DateOnly } from '../../domain/dates';
import type { Services } from '../../services';
import type { Occurrence, SeriesKind } from './SeriesKind';

/** What failed: a series, what is left of a company's series, or its look for overdue invoices. */
export interface SweepSubject {
  kind: SeriesKind['name'] | 'overdue';
  companyId: number;
  /** Of the series; null for a company. */
  id: number | null;
}

/** Told of everything that a sweep does: after its commit, or in place of it when nothing is to be written. */
export interface SweepObserver {
  created(kind: SeriesKind['name'], companyId: number, occurrence: Occurrence): void;
  overdue(companyId: number, invoiceId: number): void;
  failed(subject: SweepSubject, error: unknown): void;
}

/** One run of a schedule over all companies. */
export interface Sweep {
  readonly services: Services;
  /** The day to take for today in every company; null: each company's own, by the clock. */
  readonly asOf: DateOnly | null;
  /** Waits for what another process has in hand, so that nothing due is left at the end; else that is left to the other. */
  readonly wait: boolean;
  /** Ends the sweep between two transactions. */
  readonly signal?: AbortSignal | undefined;
  readonly observer: SweepObserver;
}
