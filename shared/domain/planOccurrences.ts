import { LAST_DAY, type DateOnly } from './dates';
import { datesFrom, firstAfter, firstOnOrAfter, type Cadence } from './recurrence';

/** Where a series stands. */
export interface SeriesPosition {
  readonly cadence: Cadence;
  readonly nextDueDate: DateOnly;
  /** Dates before this day are passed over. */
  readonly since: DateOnly;
}

/** The dates that are due, oldest first, and where the series stands then; null at the calendar's end. */
export interface OccurrencePlan {
  readonly dates: readonly DateOnly[];
  readonly nextDueDate: DateOnly | null;
}

/** What is due on a day and has not been made: every date of the series up to that day, at most `limit` at a time. */
export function planOccurrences(position: SeriesPosition, today: DateOnly, limit = Infinity): OccurrencePlan {
  const { cadence } = position;
  const from = firstDate(position);
  if (from === null) return { dates: [], nextDueDate: null };
  const dates = datesFrom(cadence, from, { until: today, limit });
  const last = dates.at(-1);
  return { dates, nextDueDate: last === undefined ? from : firstAfter(cadence, last) };
}

/** The dates to come, whether they are due or not. */
export function upcomingDates(position: SeriesPosition, limit: number): DateOnly[] {
  const from = firstDate(position);
  return from === null ? [] : datesFrom(position.cadence, from, { until: LAST_DAY, limit });
}

function firstDate({ cadence, nextDueDate, since }: SeriesPosition): DateOnly | null {
  return nextDueDate < since ? firstOnOrAfter(cadence, since) : nextDueDate;
}
