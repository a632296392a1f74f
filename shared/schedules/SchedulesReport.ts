import type { DateOnly } from '../dates/dates';
import { AppError } from '../engine/errors';
import type { Occurrence, SeriesKind, ScanObserver, ScanSubject } from '../recurrence';

interface RolledSeries {
  companyId: number;
  seriesId: number;
  /** In the order in which their occurrences were made. */
  dates: DateOnly[];
}

type FailedSubject = ScanSubject & { code: string; message: string };

/** Collects the outcome of the schedules (or of a preview) for the command line, and for the API of a sandbox. */
export class SchedulesReport implements ScanObserver {
  private readonly series = { expense: new Map<number, RolledSeries>(), invoice: new Map<number, RolledSeries>() };
  private readonly marked: { companyId: number; invoiceId: number }[] = [];
  private readonly reminders: { companyId: number; invoiceId: number; skipped: string | null }[] = [];
  private readonly failures: FailedSubject[] = [];
  /** Occurrences, overdue invoices and reminders so far. */
  done = 0;
  /** Requested e-mails so far. */
  emails = 0;

  /** @param progress called with the total after each step */
  constructor(private readonly progress: (done: number) => void = () => undefined) {}

  created(kind: SeriesKind['name'], companyId: number, { seriesId, date }: Occurrence): void {
    this.progress((this.done += 1));
    const known = this.series[kind].get(seriesId);
    if (known === undefined) this.series[kind].set(seriesId, { companyId, seriesId, dates: [date] });
    else known.dates.push(date);
  }

  emailed(count: number): void {
    this.emails += count;
  }

  overdue(companyId: number, invoiceId: number): void {
    this.progress((this.done += 1));
    this.marked.push({ companyId, invoiceId });
  }

  reminded(companyId: number, invoiceId: number, skipped: string | null): void {
    this.progress((this.done += 1));
    this.reminders.push({ companyId, invoiceId, skipped });
    if (skipped === null) this.emails += 1;
  }

  failed(subject: ScanSubject, error: unknown): void {
    const code = error instanceof AppError ? error.code : 'internal_error';
    this.failures.push({ ...subject, code, message: error instanceof Error ? error.message : String(error) });
  }

  /** True when nothing was done and nothing failed. */
  get isEmpty(): boolean {
    const { expense, invoice } = this.series;
    return expense.size + invoice.size + this.marked.length + this.reminders.length + this.failures.length === 0;
  }

  get hasFailures(): boolean {
    return this.failures.length > 0;
  }

  toJSON(): object {
    return {
      expenses: rolled([...this.series.expense.values()]),
      invoices: rolled([...this.series.invoice.values()]),
      overdue: { marked: this.marked.length, invoices: this.marked },
      reminders: {
        requested: this.reminders.filter(({ skipped }) => skipped === null).length,
        skipped: this.reminders.filter(({ skipped }) => skipped !== null).length,
        invoices: this.reminders,
      },
      failed: this.failures,
    };
  }
}

function rolled(series: RolledSeries[]): { created: number; series: RolledSeries[] } {
  return { created: series.reduce((sum, { dates }) => sum + dates.length, 0), series };
}
