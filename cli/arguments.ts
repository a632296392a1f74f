import { InvalidArgumentError } from 'commander';

/** An id or a count on the command line. @throws {InvalidArgumentError} when it is no positive integer. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('It must be a positive integer.');
  }
  return value;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const timePattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
/** JavaScript takes February 30 for March 2. */
const isDay = (day: string): boolean => new Date(day).toISOString().startsWith(day);

/** `2027-01-31T17:00:00Z`, a day (its beginning in UTC), or `90m`, `12h`, `3d` ago. @throws {InvalidArgumentError} */
export function instant(text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * (units[unit] ?? 0));
  const time = new Date(text);
  if (!timePattern.test(text) || Number.isNaN(time.getTime()) || !isDay(text.slice(0, 10))) {
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T17:00:00Z, or 90m, 12h, 3d ago.');
  }
  return time;
}
