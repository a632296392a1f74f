import { LAST_DAY, type DateOnly } from '../dates/dates';
import { datesFrom, firstAfter, firstOnOrAfter, type Cadence } from './cadence';

/** The dates of a series and its progress. */
export interface SeriesPosition {
  readonly cadence: Cadence;
  readonly nextDueDate: DateOnly;
  /** Dates before this day are skipped. */
  readonly since: DateOnly;
}

export interface OccurrencePlan {
  /** Oldest first. */
  readonly dates: readonly DateOnly[];
  /** The next due date after `dates`; null when it would be after the year 9999. */
  readonly nextDueDate: DateOnly | null;
}

/** Plans an occurrence for each date from `nextDueDate` to `today`, at most `limit`. */
export function planOccurrences(position: SeriesPosition, today: DateOnly, limit = Infinity): OccurrencePlan {
  const { cadence } = position;
  const from = firstDate(position);
  if (from === null) return { dates: [], nextDueDate: null };
  const dates = datesFrom(cadence, from, { until: today, limit });
  const last = dates.at(-1);
  return { dates, nextDueDate: last === undefined ? from : firstAfter(cadence, last) };
}

/** Returns the next dates, due or not. */
export function upcomingDates(position: SeriesPosition, limit: number): DateOnly[] {
  const from = firstDate(position);
  return from === null ? [] : datesFrom(position.cadence, from, { until: LAST_DAY, limit });
}

function firstDate({ cadence, nextDueDate, since }: SeriesPosition): DateOnly | null {
  return nextDueDate < since ? firstOnOrAfter(cadence, since) : nextDueDate;
}
