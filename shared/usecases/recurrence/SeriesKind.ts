import type { DateOnly } from '../../domain/dates';
import type { UnitOfWork } from '../../database/unitOfWork';

/** An occurrence to be made: a copy of the series for one of its dates. */
export interface Occurrence {
  seriesId: number;
  date: DateOnly;
}

/** What can recur, and how a copy of it is made. */
export interface SeriesKind {
  readonly name: 'expense' | 'invoice';
  readonly table: 'expenses' | 'invoices';
  /** Of one transaction: they bound how long rows stay locked. */
  readonly atOnce: {
    readonly series: number;
    readonly occurrences: number;
    /** Of how many companies: what one holds until the commit, another must not have to wait for. */
    readonly companies: 1 | 'any';
  };
  /**
   * Makes the occurrences, oldest first, with their events and counts. All are of the company of the unit of work, whose
   * series are locked; none exists yet.
   */
  create(uow: UnitOfWork, occurrences: readonly Occurrence[]): Promise<void>;
}
