import type { DateOnly } from '../dates/dates';
import type { Services } from '../services';
import type { RestingCompanies } from './RestingCompanies';
import type { Occurrence, SeriesKind } from './SeriesKind';

/** A failure: of one series, of the remaining series of a company, or of a company's check for overdue invoices or reminders. */
export interface ScanSubject {
  kind: SeriesKind['name'] | 'overdue' | 'reminders';
  companyId: number;
  /** The id of the series; null for a company. */
  id: number | null;
}

/** Receives everything that a scan has committed. In a preview, which writes nothing: everything that it would do. */
export interface ScanObserver {
  created(kind: SeriesKind['name'], companyId: number, occurrence: Occurrence): void;
  /** E-mails of new occurrences were requested. */
  emailed?(count: number): void;
  overdue(companyId: number, invoiceId: number): void;
  /** A reminder was requested or, for this reason, skipped. */
  reminded?(companyId: number, invoiceId: number, skipped: string | null): void;
  failed(subject: ScanSubject, error: unknown): void;
}

/** One scan of the calendar. */
export interface Scan {
  readonly services: Services;
  /** The day that counts as today in every company; null for each company's own, by the clock. */
  readonly asOf: DateOnly | null;
  /** The one company that is scanned; absent: all of them. */
  readonly companyId?: number | undefined;
  /** The request that runs the calendar of a sandbox, and counts the recipients of its e-mails; absent or null: the clock does. */
  readonly requestId?: string | null;
  /** True to wait for series that another process has locked, so that nothing due is left. False to skip them. */
  readonly wait: boolean;
  /** Stops the scan between two transactions. */
  readonly signal?: AbortSignal | undefined;
  /** After this long the scan ends once each company has had a turn. Absent: it ends when nothing due is left. */
  readonly longestMs?: number;
  /** Companies that failed recently and are skipped; absent: none. */
  readonly restingCompanies?: RestingCompanies;
  readonly observer: ScanObserver;
}
