import type { DateOnly } from '../dates/dates';
import type { UnitOfWork } from '../engine/db';

/** An occurrence to be made: a copy of the series for one of its dates. */
export interface Occurrence {
  seriesId: number;
  date: DateOnly;
}

/** The tables of the records that can recur. */
export const seriesTables = ['expenses', 'invoices'] as const;

/** A type of record that can recur, and how copies are made. */
export interface SeriesKind {
  readonly name: 'expense' | 'invoice';
  readonly table: (typeof seriesTables)[number];
  /** The limits of one transaction, so that rows are locked only shortly. */
  readonly batch: {
    readonly series: number;
    readonly occurrences: number;
  };
  /**
   * Inserts the occurrences, oldest first, with their events and counts, and returns their ids. The caller has locked their series,
   * which belong to the company of the unit of work. No occurrence exists yet.
   */
  create(uow: UnitOfWork, occurrences: readonly Occurrence[]): Promise<number[]>;
  /** Records the consequences of new occurrences, in the same unit of work. */
  created?(uow: UnitOfWork, ids: readonly number[]): Promise<void>;
}
