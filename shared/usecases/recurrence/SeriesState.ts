import { dayIn, startOfDay, type DateOnly } from '../../domain/dates';
import { firstAfter, isDateOf, type Cadence, type Period } from '../../domain/recurrence';
import type { Recurrence } from '../../domain/statuses';
import { ValidationFailed } from '../../errors';

/** The columns that an expense and an invoice share, and by which either is a series. Null where it is none. */
export interface SeriesState {
  recurring: Recurrence;
  /** The next date to make an occurrence for. Without a series it is only kept. */
  nextDueDate: DateOnly | null;
  /** Where the dates are counted from, so that month ends and leap days come back. */
  anchorDate: DateOnly | null;
  /** The company's day on which it was made a series: no occurrence is made for a day before. */
  recurringSince: DateOnly | null;
  /** When `nextDueDate` begins in the company's time zone: what the sweep looks for. */
  dueAt: Date | null;
}

export interface SeriesChanges {
  recurring?: Recurrence | undefined;
  /** Null counts as not known: a series then begins one period after its first date. */
  nextDueDate?: DateOnly | null | undefined;
}

/** What is known of the record around it. */
export interface SeriesSubject {
  /** The record's own date, and how the interface calls it. */
  date: DateOnly;
  dateField: 'expenseDate' | 'issueDate';
  /** Not asked for where there is no series. */
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
 * The state of a record after a create (`before` is {@link noSeries}) or an update. The anchor stays where it is as long as
 * `nextDueDate` is one of its dates, so that putting back what was read changes nothing; another date becomes the anchor, and
 * where none is given the series begins anew from its own date.
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
 * What a request alone shows to be wrong, whatever record it is for; nothing without a `date`.
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

/** When a date becomes due; not before the epoch, since a DATETIME does not reach as far back as a DATE in every zone. */
export function dueAtOf(nextDueDate: DateOnly, timezone: string): Date {
  return new Date(Math.max(0, startOfDay(nextDueDate, timezone).getTime()));
}

/** The dates of a series; null for a record that is none. */
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
