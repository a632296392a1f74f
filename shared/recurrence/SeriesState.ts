import { addDays, dayIn, startOfDay, type DateOnly } from '../dates/dates';
import { anchorFor, firstAfter, firstOnOrAfter, type Cadence } from './cadence';
import { firstDate } from './planOccurrences';
import type { Recurrence } from './recurrences';
import { ValidationFailed } from '../engine/errors';

/** The options of a series. */
export interface SeriesOptions {
  /** The number of periods from one date to the next. */
  every: number;
  /** The last day that may have an occurrence; null: no end. */
  endsOn: DateOnly | null;
  /** Dates that arrive while a series is paused pass without an occurrence. */
  paused: boolean;
}

/** The columns of expenses and invoices that make a record a series. A record that is no series has those of {@link noSeries}. */
export interface SeriesState extends SeriesOptions {
  recurring: Recurrence;
  /**
   * The next date to make an occurrence for; null when the series has ended. Kept, without effect, on a record that is no series.
   */
  nextDueDate: DateOnly | null;
  /** The date from which all dates are counted, so that month ends and leap days return. */
  anchorDate: DateOnly | null;
  /** The company's day on which the record became a series, or was last resumed. No occurrence is made for an earlier day. */
  recurringSince: DateOnly | null;
  /** When `nextDueDate` begins in the company's time zone. The scan selects by this column. */
  dueAt: Date | null;
}

export interface SeriesChanges extends Partial<SeriesOptions> {
  recurring?: Recurrence | undefined;
  /** Only for invoices, which store it themselves. */
  autoSend?: boolean;
  /** Null lets the series begin `every` periods after the record's own date. */
  nextDueDate?: DateOnly | null | undefined;
}

/** The values of the record on which the dates of its series depend. */
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
  every: 1,
  nextDueDate: null,
  endsOn: null,
  paused: false,
  anchorDate: null,
  recurringSince: null,
  dueAt: null,
};

/**
 * Returns the state of a record after a create (`before` is {@link noSeries}) or an update. The anchor is kept while
 * `nextDueDate` is one of its dates, so a PUT of the values that were read changes nothing. Any other date becomes the new
 * anchor ({@link anchorFor}). Without a date, the record's own date does. Dates before the record became a series, or was resumed, are
 * passed over.
 * @throws {ValidationFailed} when `nextDueDate` is before the record's own date, after `endsOn` or beyond the calendar's end, and for
 * options of a record that is no series.
 */
export function changeSeries(before: SeriesState, changes: SeriesChanges, subject: SeriesSubject): SeriesState {
  const recurring = changes.recurring ?? before.recurring;
  if (recurring === 'none') {
    if (changes.recurring === undefined) checkNoOptions(changes);
    const kept = changes.recurring === 'none' ? null : before.nextDueDate;
    const nextDueDate = changes.nextDueDate === undefined ? kept : changes.nextDueDate;
    checkNotBefore(nextDueDate, subject);
    return { ...noSeries, nextDueDate };
  }
  const { timezone, now } = subject;
  if (timezone === null) throw new Error('a series needs a time zone');
  const today = dayIn(timezone, now);
  const every = changes.every ?? before.every;
  const endsOn = changes.endsOn === undefined ? before.endsOn : changes.endsOn;
  const paused = changes.paused ?? before.paused;
  const cadence = { period: recurring, every, anchor: before.anchorDate ?? subject.date };
  const { anchorDate, date } = beginning(before, changes.nextDueDate, cadence, { ...subject, today });
  checkNotBefore(date, subject);
  checkNotAfterEnd(before, changes, { endsOn, date });
  const isResumed = before.paused && !paused;
  const since = isResumed ? today : (before.recurringSince ?? today);
  const position = { cadence: { ...cadence, anchor: anchorDate }, since, endsOn };
  const nextDueDate = date === null ? null : firstDate({ ...position, nextDueDate: date });
  return {
    ...{ recurring, every, nextDueDate, endsOn, paused, anchorDate },
    recurringSince: since,
    dueAt: nextDueDate === null ? null : dueAtOf(nextDueDate, timezone),
  };
}

/** Returns the anchor, and the date with which a series begins or continues; null after the year 9999. */
function beginning(
  before: SeriesState,
  asked: DateOnly | null | undefined,
  cadence: Cadence,
  { date, today }: { date: DateOnly; today: DateOnly },
): { anchorDate: DateOnly; date: DateOnly | null } {
  const given = asked === undefined ? before.nextDueDate : asked;
  if (given !== null) return { anchorDate: anchorFor(cadence, given), date: given };
  if (before.nextDueDate !== null || before.anchorDate === null) {
    return { anchorDate: date, date: onePeriodAfter({ ...cadence, anchor: date }) };
  }
  // The series has ended. If it continues, it skips dates before its end and dates that have passed since.
  const end = before.endsOn === null ? null : addDays(before.endsOn, 1);
  const days = [date, today, ...(end === null ? [] : [end])].sort();
  return { anchorDate: before.anchorDate, date: end === null ? null : firstOnOrAfter(cadence, days.at(-1) ?? today) };
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
  if (nextDueDate === null && recurring !== 'none') onePeriodAfter({ period: recurring, every: 1, anchor: date });
}

/** Returns when a date becomes due. Never before 1970: in some time zones the first DATEs do not fit into a DATETIME. */
export function dueAtOf(nextDueDate: DateOnly, timezone: string): Date {
  return new Date(Math.max(0, startOfDay(nextDueDate, timezone).getTime()));
}

/** Returns the dates of a series, or null for a record that is no series. */
export function cadenceOf({
  recurring,
  every,
  anchorDate,
}: Pick<SeriesState, 'recurring' | 'every' | 'anchorDate'>): Cadence | null {
  return recurring === 'none' || anchorDate === null ? null : { period: recurring, every, anchor: anchorDate };
}

/** Returns the date after the anchor. */
function onePeriodAfter(cadence: Cadence): DateOnly {
  const date = firstAfter(cadence, cadence.anchor);
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

/** An end that was there before may lie in the past: the series has ended. */
function checkNotAfterEnd(
  before: SeriesState,
  { nextDueDate, endsOn: asked }: SeriesChanges,
  { endsOn, date }: { endsOn: DateOnly | null; date: DateOnly | null },
): void {
  if (endsOn === null || date === null || date <= endsOn) return;
  if (asked !== undefined && asked !== before.endsOn) {
    throw ValidationFailed.at('endsOn', `must not be before the next date, ${date}`);
  }
  if (nextDueDate) throw ValidationFailed.at('nextDueDate', 'must not be after endsOn');
}

function checkNoOptions(changes: SeriesChanges): void {
  const initially = { every: noSeries.every, endsOn: noSeries.endsOn, paused: noSeries.paused, autoSend: false };
  const names = Object.keys(initially) as (keyof typeof initially)[];
  const wrong = names.find((name) => changes[name] !== undefined && changes[name] !== initially[name]);
  if (wrong !== undefined) throw ValidationFailed.at(wrong, 'needs a series: recurring is none');
}
