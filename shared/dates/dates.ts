/** A calendar day, `YYYY-MM-DD`: no time, no zone. */
export type DateOnly = string;

const DAY_MS = 86_400_000;
/** The last day that can be written with four digits of a year, and that MySQL's DATE holds. */
export const LAST_DAY: DateOnly = '9999-12-31';
/** The last millisecond of {@link LAST_DAY} in UTC. */
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MIDNIGHT_UTC = /^(\d{4}-\d{2}-\d{2})T00:00:00(\.0{1,9})?(Z|\+00:00)$/;

/** True for a real day of the calendar from year 1000 (MySQL's DATE begins there) to 9999. */
export function isDateOnly(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1000) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** The day of `YYYY-MM-DD` or of the ISO timestamp at midnight UTC that responses show; null for anything else. */
export function readDate(text: string): DateOnly | null {
  const day = MIDNIGHT_UTC.exec(text)?.[1] ?? text;
  return isDateOnly(day) ? day : null;
}

/** How detail responses show a day: `2026-01-31` is `2026-01-31T00:00:00.000Z`. */
export function toMidnightUtc(day: DateOnly): string {
  return `${day}T00:00:00.000Z`;
}

/** The day so many days later (or earlier, below 0); null beyond the calendar's end. */
export function addDays(day: DateOnly, days: number): DateOnly | null {
  const moved = new Date(Date.parse(day) + days * DAY_MS);
  // Further away than a Date reaches.
  if (Number.isNaN(moved.getTime())) return null;
  const text = moved.toISOString();
  return text.length === '9999-12-31T00:00:00.000Z'.length ? text.slice(0, 10) : null;
}

/** How many days lie between; below 0 when `to` is before `from`. */
export function daysBetween(from: DateOnly, to: DateOnly): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** One for each time zone, by its name in lower case: Intl takes names in any case, and each formatter some kilobytes. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * How far the clocks of an IANA time zone are ahead of UTC at an instant, in milliseconds.
 * @throws {RangeError} for a zone that is not known.
 */
function offsetAt(timezone: string, ms: number): number {
  const name = timezone.toLowerCase();
  const formatter =
    formatters.get(name) ??
    new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset', year: 'numeric' });
  formatters.set(name, formatter);
  // `2026, GMT+07:00`; `1843, GMT+07:07:12`; `2026, GMT` where nothing is ahead.
  const text = formatter.format(ms);
  const match = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(text);
  if (match === null) throw new Error(`"${text}" has no offset of ${timezone}`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  return (sign === '-' ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Returns the first instant after a change of the clocks that is between two others. */
function changeBetween(timezone: string, from: number, to: number): number {
  const offset = offsetAt(timezone, from);
  let [last, first] = [from, to];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (offsetAt(timezone, middle) === offset) last = middle;
    else first = middle;
  }
  return first;
}

/** No clocks were ever further from UTC, not even those of Manila before 1845. */
const FARTHEST_MS = 16 * 3_600_000;

/**
 * The first instant at which the clocks of a time zone show a time (as milliseconds of that time in UTC), or where they skip it, a later
 * one.
 */
function firstShowing(local: number, timezone: string): Date {
  const before = offsetAt(timezone, local - FARTHEST_MS);
  const after = offsetAt(timezone, local + FARTHEST_MS);
  if (before === after) return new Date(local - after);
  const [early, late] = [local - Math.max(before, after), local - Math.min(before, after)];
  const shown = [early, late].find((ms) => ms + offsetAt(timezone, ms) === local);
  return new Date(shown ?? changeBetween(timezone, early, late));
}

/**
 * Which day it is in an IANA time zone; after the calendar's last day in UTC, that day.
 * @throws {RangeError} for a zone that is not known.
 */
export function dayIn(timezone: string, time: Date): DateOnly {
  const ms = time.getTime();
  return new Date(Math.min(LAST_MS, ms + offsetAt(timezone, ms))).toISOString().slice(0, 10);
}

/**
 * The instant at which a day begins in an IANA time zone: its midnight, the first of two where the clocks go back over it, the
 * first instant after it where they skip it.
 * @throws {RangeError} for a zone that is not known.
 */
export function startOfDay(day: DateOnly, timezone: string): Date {
  return firstShowing(Date.parse(day), timezone);
}

/**
 * The instant at which a day ends in an IANA time zone, where the next one begins; of the calendar's last day, its last millisecond in UTC.
 * @throws {RangeError} for a zone that is not known.
 */
export function endOfDay(day: DateOnly, timezone: string): Date {
  const next = addDays(day, 1);
  return next === null ? new Date(LAST_MS) : startOfDay(next, timezone);
}

/** How far the clocks of a time zone are ahead of UTC, until an instant; the last one of a list has no end. */
export interface Offset {
  readonly seconds: number;
  readonly until: Date | null;
}

/**
 * Shorter than the time between any two changes of one zone's clocks: those of Recife, Noronha and Boa Vista changed on two Sundays of
 * October 2000, 167 hours apart.
 */
const STEP_MS = 6 * DAY_MS;

/**
 * The offsets of an IANA time zone from one instant to another, in order: two or three for a year with summer time.
 * @throws {RangeError} for a zone that is not known.
 */
export function offsetsBetween(timezone: string, from: Date, to: Date): Offset[] {
  const offsets: Offset[] = [];
  let offset = offsetAt(timezone, from.getTime());
  for (let ms = from.getTime(); ms < to.getTime(); ms += STEP_MS) {
    const end = Math.min(ms + STEP_MS, to.getTime());
    const next = offsetAt(timezone, end);
    if (next === offset) continue;
    offsets.push({ seconds: offset / 1000, until: new Date(changeBetween(timezone, ms, end)) });
    offset = next;
  }
  return [...offsets, { seconds: offset / 1000, until: null }];
}

/**
 * The instant of a full hour of a day in an IANA time zone; where the clocks skip it, the one that they show instead.
 * @throws {RangeError} for a zone that is not known.
 */
export function hourOfDay(day: DateOnly, hour: number, timezone: string): Date {
  return firstShowing(Date.parse(day) + hour * 3_600_000, timezone);
}

/**
 * The instant that stands for a day of which no time is known: the first one that is in that day both in UTC and in the IANA time
 * zone, so that neither reader sees the day before or after.
 * @throws {RangeError} for a zone that is not known.
 */
export function instantOfDay(day: DateOnly, timezone: string): Date {
  return new Date(Math.max(Date.parse(toMidnightUtc(day)), startOfDay(day, timezone).getTime()));
}
