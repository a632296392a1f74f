import { addDays, daysBetween, LAST_DAY, type DateOnly } from './dates';
import type { Recurrence } from './statuses';

export type Period = Exclude<Recurrence, 'none'>;

/**
 * The dates of a series: the anchor and every whole period before and after it, counted from the anchor and never from the
 * date before, so that month ends and leap days come back (Jan 31, Feb 28, Mar 31; Feb 29 2028, Feb 28 2029, …, Feb 29 2032).
 */
export interface Cadence {
  readonly every: Period;
  readonly anchor: DateOnly;
}

const periodDays = { daily: 1, weekly: 7 } as const;
const periodMonths = { monthly: 1, yearly: 12 } as const;

/** The n-th date, of which the anchor is number 0; null beyond the calendar's end, which is that of the year 9999. */
export function dateAt({ every, anchor }: Cadence, n: number): DateOnly | null {
  if (every === 'daily' || every === 'weekly') return addDays(anchor, n * periodDays[every]);
  const [year, month, day] = partsOf(anchor);
  const months = year * 12 + month - 1 + n * periodMonths[every];
  const [inYear, inMonth] = [Math.floor(months / 12), (months % 12) + 1];
  if (inYear > 9999) return null;
  const lastDay = new Date(Date.UTC(inYear, inMonth, 0)).getUTCDate();
  return [pad(inYear, 4), pad(inMonth, 2), pad(Math.min(day, lastDay), 2)].join('-');
}

/** The first date of the series on or after a day. */
export function firstOnOrAfter(cadence: Cadence, day: DateOnly): DateOnly | null {
  return dateAt(cadence, numberOnOrAfter(cadence, day));
}

/** The first date of the series after a day: a single step, from any of its dates to the next. */
export function firstAfter(cadence: Cadence, day: DateOnly): DateOnly | null {
  const tomorrow = addDays(day, 1);
  return tomorrow === null ? null : firstOnOrAfter(cadence, tomorrow);
}

/** True for a day that is one of the series' dates. */
export function isDateOf(cadence: Cadence, day: DateOnly): boolean {
  return firstOnOrAfter(cadence, day) === day;
}

/** The dates from a day on, in order, until a last one (inclusive) and at most so many. */
export function datesFrom(cadence: Cadence, from: DateOnly, { until = LAST_DAY, limit = Infinity } = {}): DateOnly[] {
  const dates: DateOnly[] = [];
  for (let n = numberOnOrAfter(cadence, from); dates.length < limit; n++) {
    const date = dateAt(cadence, n);
    if (date === null || date > until) break;
    dates.push(date);
  }
  return dates;
}

/** The number of the first date on or after a day: at most one period after the one in the day's own week, month or year. */
function numberOnOrAfter(cadence: Cadence, day: DateOnly): number {
  const { every, anchor } = cadence;
  if (every === 'daily' || every === 'weekly') return Math.ceil(daysBetween(anchor, day) / periodDays[every]);
  const [year, month] = partsOf(anchor);
  const [inYear, inMonth] = partsOf(day);
  const n = Math.floor(((inYear - year) * 12 + inMonth - month) / periodMonths[every]);
  const date = dateAt(cadence, n);
  return date !== null && date < day ? n + 1 : n;
}

function partsOf(day: DateOnly): [number, number, number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8, 10))];
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');
