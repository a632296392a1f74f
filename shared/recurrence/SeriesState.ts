import { dayIn, startOfDay, type DateOnly } from '../dates/dates';
import { firstAfter, isDateOf, type Cadence, type Period } from './cadence';
import type { Recurrence } from './recurrences';
import { ValidationFailed } from '../engine/errors';

/** The columns of expenses and invoices that make a record a series. They are null on a record that is no series. */
export interface SeriesState {
  recurring: Recurrence;
  /** The next date to make an occurrence for. Kept, without effect, on a record that is no series. */
  nextDueDate: DateOnly | null;
  /** The date from which all dates are counted, so that month ends and leap days return. */
  anchorDate: DateOnly | null;
  /** The company's day on which the record became a series. No occurrence is made for an earlier day. */
  recurringSince: DateOnly | null;
  /** When `nextDueDate` begins in the company's time zone. The scan selects by this column. */
  dueAt: Date | null;
}

export interface SeriesChanges {
  recurring?: Recurrence | undefined;
  /** Null lets the series begin one period after the record's own date. */
  nextDueDate?: DateOnly | null | undefined;
}

/** The record that is (or becomes) a series, as far as its dates depend on it. */
export interface SeriesSubject {
  /** The record's own date. */
  date: DateOnly;
  /** The field of `date`, for error messages. */
  dateField: 'expenseDate' | 'issueDate';
  /** The company's time zone; null is allowed for a record that is no series. */
  timezone: string | null;
  now: Date;
}

export const noSeries: SeriesState = {
  recurring: 'none',
  nextDueDate: null,
  anchorDate: null,
  recurringSince: null,
  dueAt: null,
};

/**
 * Returns the state of a record after a create (`before` is {@link noSeries}) or an update. The anchor is kept while
 * `nextDueDate` is one of its dates, so a PUT of the values that were read changes nothing. Any other date becomes the new
 * anchor. Without a date, the record's own date does.
 * @throws {ValidationFailed} when `nextDueDate` is before the record's own date, or beyond the calendar's end.
 */
export function changeSeries(before: SeriesState, changes: SeriesChanges, subject: SeriesSubject): SeriesState {
  const recurring = changes.recurring ?? before.recurring;
  if (recurring === 'none') {
    const kept = changes.recurring === 'none' ? null : before.nextDueDate;
    const nextDueDate = changes.nextDueDate === undefined ? kept : changes.nextDueDate;
    checkNotBefore(nextDueDate, subject);
    return { ...noSeries, nextDueDate };
  }
  const given = changes.nextDueDate === undefined ? before.nextDueDate : changes.nextDueDate;
  const nextDueDate = given ?? onePeriodAfter(recurring, subject.date);
  checkNotBefore(nextDueDate, subject);
  const { timezone, now } = subject;
  if (timezone === null) throw new Error('a series needs a time zone');
  return {
    recurring,
    nextDueDate,
    anchorDate:
      given === null
        ? subject.date
        : anchorFor({ every: recurring, anchor: before.anchorDate ?? subject.date }, nextDueDate),
    recurringSince: before.recurringSince ?? dayIn(timezone, now),
    dueAt: dueAtOf(nextDueDate, timezone),
  };
}

/**
 * Checks the part of a request that needs no record. Does nothing without a `date`.
 * @throws {ValidationFailed} as {@link changeSeries} would.
 */
export function checkSeriesRequest(
  { recurring = 'none', nextDueDate }: SeriesChanges,
  { date, dateField }: Pick<SeriesSubject, 'dateField'> & { date: DateOnly | undefined },
): void {
  if (date === undefined || nextDueDate === undefined) return;
  checkNotBefore(nextDueDate, { date, dateField });
  if (nextDueDate === null && recurring !== 'none') onePeriodAfter(recurring, date);
}

/** Returns when a date becomes due. Never before 1970: in some time zones the first DATEs do not fit into a DATETIME. */
export function dueAtOf(nextDueDate: DateOnly, timezone: string): Date {
  return new Date(Math.max(0, startOfDay(nextDueDate, timezone).getTime()));
}

/** Returns the dates of a series, or null for a record that is no series. */
export function cadenceOf({ recurring, anchorDate }: Pick<SeriesState, 'recurring' | 'anchorDate'>): Cadence | null {
  return recurring === 'none' || anchorDate === null ? null : { every: recurring, anchor: anchorDate };
}

function onePeriodAfter(every: Period, day: DateOnly): DateOnly {
  const date = firstAfter({ every, anchor: day }, day);
  if (date === null) throw ValidationFailed.at('nextDueDate', 'would lie beyond the year 9999');
  return date;
}

function checkNotBefore(
  nextDueDate: DateOnly | null,
  { date, dateField }: Pick<SeriesSubject, 'date' | 'dateField'>,
): void {
  if (nextDueDate !== null && nextDueDate < date) {
    throw ValidationFailed.at('nextDueDate', `must not be before ${dateField}`);
  }
}

function anchorFor(cadence: Cadence, nextDueDate: DateOnly): DateOnly {
  return isDateOf(cadence, nextDueDate) ? cadence.anchor : nextDueDate;
}
