import { DateTime } from 'luxon';

/** A calendar day, `YYYY-MM-DD`: no time, no zone. */
export type DateOnly = string;

const DAY_MS = 86_400_000;
/** The last day that can be written with four digits of a year, and that MySQL's DATE holds. */
export const LAST_DAY: DateOnly = '9999-12-31';
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

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

/**
 * Which day it is in an IANA time zone.
 * @throws {RangeError} for a zone that is not known.
 */
export function dayIn(timezone: string, time: Date): DateOnly {
  return inZone(DateTime.fromJSDate(time, { zone: timezone }), timezone).toISODate();
}

/**
 * The instant at which a day begins in an IANA time zone: its midnight, the first of two where the clocks go back over it, the
 * first instant after it where they skip it.
 * @throws {RangeError} for a zone that is not known.
 */
export function startOfDay(day: DateOnly, timezone: string): Date {
  const midnight = inZone(DateTime.fromISO(day, { zone: timezone }), timezone).startOf('day');
  return new Date(Math.min(...midnight.getPossibleOffsets().map((instant) => instant.toMillis())));
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
 * The offsets of an IANA time zone from one instant to another, in order: two or three for a year with summer time.
 * @throws {RangeError} for a zone that is not known.
 */
export function offsetsBetween(timezone: string, from: Date, to: Date): Offset[] {
  const { zone } = inZone(DateTime.fromJSDate(from, { zone: timezone }), timezone);
  const offsetAt = (ms: number): number => Math.round(zone.offset(ms) * 60);
  const offsets: Offset[] = [];
  let seconds = offsetAt(from.getTime());
  for (let ms = from.getTime(); ms < to.getTime(); ms += DAY_MS) {
    if (offsetAt(ms + DAY_MS) === seconds) continue;
    // The change is between the last instant that has the offset and the first one that does not.
    let [last, first] = [ms, ms + DAY_MS];
    while (first - last > 1) {
      const middle = Math.floor((last + first) / 2);
      if (offsetAt(middle) === seconds) last = middle;
      else first = middle;
    }
    offsets.push({ seconds, until: new Date(first) });
    seconds = offsetAt(ms + DAY_MS);
  }
  return [...offsets, { seconds, until: null }];
}

/**
 * The instant of a full hour of a day in an IANA time zone; where the clocks skip it, the one that they show instead.
 * @throws {RangeError} for a zone that is not known.
 */
export function hourOfDay(day: DateOnly, hour: number, timezone: string): Date {
  return inZone(DateTime.fromISO(day, { zone: timezone }), timezone)
    .set({ hour })
    .toJSDate();
}

/**
 * The instant that stands for a day of which no time is known: the first one that is in that day both in UTC and in the IANA time
 * zone, so that neither reader sees the day before or after.
 * @throws {RangeError} for a zone that is not known.
 */
export function instantOfDay(day: DateOnly, timezone: string): Date {
  return new Date(Math.max(Date.parse(toMidnightUtc(day)), startOfDay(day, timezone).getTime()));
}

function inZone(time: DateTime, timezone: string): DateTime<true> {
  if (!time.isValid) throw new RangeError(`${timezone} is not a time zone: ${time.invalidReason ?? ''}`);
  return time as DateTime<true>;
}
