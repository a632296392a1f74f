/** A calendar day, `YYYY-MM-DD`: no time, no zone. */
export type DateOnly = string;

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
