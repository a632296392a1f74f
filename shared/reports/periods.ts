import { endOfDay, LAST_MS, offsetsBetween, startOfDay } from '../dates/dates';
import { type SqlText, toSqlTime } from '../engine/db';
import type { Range } from './range';

/** The periods by which a report can sum. */
export const periods = ['day', 'month', 'quarter', 'year'] as const;
export type Period = (typeof periods)[number];

/** The column of a row that has the sums of a period. */
export const periodColumn = {
  type: 'string',
  description: 'A day, month, quarter or year.',
  pattern: /^\d{4}(-(\d{2}(-\d{2})?|Q[1-4]))?$/u.source,
  examples: ['2026-01-31', '2026-01', '2026-Q1', '2026'],
};

const expressions: Readonly<Record<Period, (day: string) => string>> = {
  day: (day) => `DATE_FORMAT(${day}, '%Y-%m-%d')`,
  month: (day) => `DATE_FORMAT(${day}, '%Y-%m')`,
  quarter: (day) => `CONCAT(DATE_FORMAT(${day}, '%Y'), '-Q', QUARTER(${day}))`,
  year: (day) => `DATE_FORMAT(${day}, '%Y')`,
};

/** SQL: the period of a day. */
export const periodOf = (period: Period, day: string): string => expressions[period](day);

/** Clocks that go back over a midnight repeat the end of a day after the next one has begun. */
const LONGEST_REPEAT_MS = 3 * 3_600_000;

/** The days of a range as instants, for columns that hold these. */
export interface Instants {
  /** Where the first day begins. */
  readonly from: string;
  /** Nothing of the last day is later. Something of the next day may be earlier. */
  readonly until: string;
  /** Returns the SQL of the day on which an instant is in the time zone. The server needs no table of time zones. */
  dayOf(column: string): SqlText;
}

/** Returns the instants of a range in an IANA time zone. */
export function instantsOf({ from, to }: Range, timezone: string): Instants {
  const begins = startOfDay(from, timezone);
  const end = endOfDay(to, timezone);
  const repeated = new Date(Math.min(LAST_MS, end.getTime() + LONGEST_REPEAT_MS));
  const offsets = offsetsBetween(timezone, begins, repeated);
  return {
    from: toSqlTime(begins),
    until: toSqlTime(offsets.length > 1 ? repeated : end),
    dayOf: (column) => dayOf(column, offsets),
  };
}

function dayOf(column: string, offsets: ReturnType<typeof offsetsBetween>): SqlText {
  const cases = offsets.map(({ until }) => (until === null ? 'ELSE ?' : `WHEN ${column} < ? THEN ?`));
  const seconds = cases.length === 1 ? '?' : `CASE ${cases.join(' ')} END`;
  return {
    text: `DATE(${column} + INTERVAL ${seconds} SECOND)`,
    values: offsets.flatMap(({ until, seconds }) => [...(until === null ? [] : [toSqlTime(until)]), seconds]),
  };
}
