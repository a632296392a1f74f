import type { DateOnly } from '../dates/dates';
import { datesFrom, firstAfter, firstOnOrAfter, type Cadence } from './cadence';

/** The dates of a series and its progress. */
export interface SeriesPosition {
  readonly cadence: Cadence;
  readonly nextDueDate: DateOnly;
  /** Dates before this day are skipped. */
  readonly since: DateOnly;
  /** The last day that may have an occurrence; null: no end. */
  readonly endsOn: DateOnly | null;
}

export interface OccurrencePlan {
  /** Oldest first. */
  readonly dates: readonly DateOnly[];
  /** The next due date after `dates`; null when it would be after `endsOn` or the year 9999. */
  readonly nextDueDate: DateOnly | null;
}

/** Plans an occurrence for each date from `nextDueDate` to `today`, at most `limit`. */
export function planOccurrences(position: SeriesPosition, today: DateOnly, limit = Infinity): OccurrencePlan {
  const { cadence, endsOn } = position;
  const from = firstDate(position);
  if (from === null) return { dates: [], nextDueDate: null };
  const dates = datesFrom(cadence, from, { until: endsOn !== null && endsOn < today ? endsOn : today, limit });
  const last = dates.at(-1);
  return { dates, nextDueDate: last === undefined ? from : notAfterEnd(firstAfter(cadence, last), position) };
}

/** Returns the next dates, due or not. */
export function upcomingDates(position: SeriesPosition, limit: number): DateOnly[] {
  const from = firstDate(position);
  const { cadence, endsOn } = position;
  return from === null ? [] : datesFrom(cadence, from, { ...(endsOn !== null && { until: endsOn }), limit });
}

/** Returns the first date that may have an occurrence; null when the series has ended. */
export function firstDate(position: SeriesPosition): DateOnly | null {
  const { cadence, nextDueDate, since } = position;
  return notAfterEnd(nextDueDate < since ? firstOnOrAfter(cadence, since) : nextDueDate, position);
}

function notAfterEnd(date: DateOnly | null, { endsOn }: SeriesPosition): DateOnly | null {
  return date !== null && endsOn !== null && date > endsOn ? null : date;
}
