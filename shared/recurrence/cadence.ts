import { addDays, daysBetween, LAST_DAY, type DateOnly } from '../dates/dates';
import type { Recurrence } from './recurrences';

export type Period = Exclude<Recurrence, 'none'>;

/**
 * The dates of a series: the anchor, and the days that are a multiple of `every` periods before and after it (`monthly` and 3: each
 * quarter). They are counted from the anchor, never from the date before, so month ends and leap days return (Jan 31, Feb 28, Mar 31;
 * Feb 29 2028, Feb 28 2029, …, Feb 29 2032).
 */
export interface Cadence {
  readonly period: Period;
  readonly every: number;
  readonly anchor: DateOnly;
}

const periodDays = { daily: 1, weekly: 7 } as const;
const periodMonths = { monthly: 1, yearly: 12 } as const;

/** Returns the n-th date; the anchor is number 0. Null after the year 9999. */
export function dateAt({ period, every, anchor }: Cadence, n: number): DateOnly | null {
  if (period === 'daily' || period === 'weekly') return addDays(anchor, n * every * periodDays[period]);
  const [year, month, day] = partsOf(anchor);
  const months = year * 12 + month - 1 + n * every * periodMonths[period];
  const [inYear, inMonth] = [Math.floor(months / 12), (months % 12) + 1];
  if (inYear > 9999) return null;
  const lastDay = new Date(Date.UTC(inYear, inMonth, 0)).getUTCDate();
  return [pad(inYear, 4), pad(inMonth, 2), pad(Math.min(day, lastDay), 2)].join('-');
}

/** Returns the first date of the series on or after a day. */
export function firstOnOrAfter(cadence: Cadence, day: DateOnly): DateOnly | null {
  return dateAt(cadence, numberOnOrAfter(cadence, day));
}

/** Returns the first date of the series after a day. */
export function firstAfter(cadence: Cadence, day: DateOnly): DateOnly | null {
  const tomorrow = addDays(day, 1);
  return tomorrow === null ? null : firstOnOrAfter(cadence, tomorrow);
}

/** Tests whether a day is one of the series' dates. */
export function isDateOf(cadence: Cadence, day: DateOnly): boolean {
  return firstOnOrAfter(cadence, day) === day;
}

/** This many dates of a series include each of its months, and a February of a leap year. */
const ANY_MONTH = 48;

/**
 * Returns the anchor of a series that continues on `day`. It is the present one if `day` is one of its dates. If it is one of the same
 * period, month ends still return: a monthly series from Jan 31 that continues on Feb 28 each quarter falls on May 31, and its
 * anchor is the first of its dates with the latest day of the month. Otherwise the series begins anew with `day`.
 */
export function anchorFor(cadence: Cadence, day: DateOnly): DateOnly {
  if (isDateOf(cadence, day)) return cadence.anchor;
  const { period, every } = cadence;
  const ofPeriod = { ...cadence, every: 1 };
  if (period === 'daily' || period === 'weekly' || !isDateOf(ofPeriod, day)) return day;
  const first = numberOnOrAfter(ofPeriod, day);
  const dates = Array.from({ length: ANY_MONTH }, (_, n) => dateAt(ofPeriod, first + n * every));
  return dates.reduce<DateOnly>(
    (latest, date) => (date !== null && date.slice(8) > latest.slice(8) ? date : latest),
    day,
  );
}

/** Returns the dates from `from` to `until` (both inclusive), in order and at most `limit`. */
export function datesFrom(cadence: Cadence, from: DateOnly, { until = LAST_DAY, limit = Infinity } = {}): DateOnly[] {
  const dates: DateOnly[] = [];
  for (let n = numberOnOrAfter(cadence, from); dates.length < limit; n++) {
    const date = dateAt(cadence, n);
    if (date === null || date > until) break;
    dates.push(date);
  }
  return dates;
}

/** Returns the number of the first date on or after a day. */
function numberOnOrAfter(cadence: Cadence, day: DateOnly): number {
  const { period, every, anchor } = cadence;
  if (period === 'daily' || period === 'weekly') {
    return Math.ceil(daysBetween(anchor, day) / (every * periodDays[period]));
  }
  const [year, month] = partsOf(anchor);
  const [inYear, inMonth] = partsOf(day);
  const n = Math.floor(((inYear - year) * 12 + inMonth - month) / (every * periodMonths[period]));
  const date = dateAt(cadence, n);
  return date !== null && date < day ? n + 1 : n;
}

function partsOf(day: DateOnly): [number, number, number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))];
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');
