import { addDays, daysBetween, readDate, type DateOnly } from '../dates/dates';
import { ValidationFailed } from '../engine/errors';
import { day } from '../engine/schemas';
import { tooLarge } from './Report';

/** The days of a report, both included. */
export interface Range {
  from: DateOnly;
  to: DateOnly;
}

/** The query parameters of the days, as a request has them. */
export type RangeQuery = Partial<Range>;

const MAX_DAYS = 366;
const MAX_YEARS = 10;

/** The query parameters of the days of a report about the past. */
export const pastDays = {
  from: { ...day, description: 'The first day; without it the first one of the year of `to`.' },
  to: { ...day, description: "The last day, included; without it the company's today." },
};

/**
 * Returns the days that a query asks for.
 * @param initially what applies where the query has no day
 * @param inYears true: up to ten years, for sums that are few whatever the number of days
 * @throws {ValidationFailed} where `to` is before `from`; {@link BadRequest} `report_too_large` for too many days.
 */
export function rangeOf(query: RangeQuery, initially: (given: RangeQuery) => Range, inYears = false): Range {
  const given = {
    ...(query.from !== undefined && { from: readDate(query.from) ?? query.from }),
    ...(query.to !== undefined && { to: readDate(query.to) ?? query.to }),
  };
  const { from, to } = { ...initially(given), ...given };
  if (to < from) throw ValidationFailed.at('to', `must not be before from, which is ${from}`);
  const isTooLong = inYears ? `0${to}` >= yearsAfter(from, MAX_YEARS) : daysBetween(from, to) >= MAX_DAYS;
  if (isTooLong) {
    const most = inYears ? `${MAX_YEARS} years` : `${MAX_DAYS} days`;
    throw tooLarge(`a report has at most ${most}, and ${from} to ${to} are more`);
  }
  return { from, to };
}

/** The days of a report about the past that are not given: the year up to today, or up to the day that is given. */
export function yearUntil(today: DateOnly): (given: RangeQuery) => Range {
  return ({ from, to = today }) => ({
    from: from ?? `${to.slice(0, 4)}-01-01`,
    to: from !== undefined && to < from ? from : to,
  });
}

/** The days of a report about what is to come that are not given: 90 from today, or from the day that is given. */
export function daysFrom(today: DateOnly): (given: RangeQuery) => Range {
  return ({ from = today }) => ({ from, to: addDays(from, 90) ?? from });
}

/** The same day so many years later, as text that compares like a day; Feb 29 may be no real day then. */
const yearsAfter = (day: DateOnly, years: number): string =>
  `${Number(day.slice(0, 4)) + years}`.padStart(5, '0') + day.slice(4);
