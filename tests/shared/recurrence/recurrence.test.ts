import fc from 'fast-check';
import { DateTime } from 'luxon';
import { addDays, daysBetween, LAST_DAY } from '../../../shared/dates/dates';
import {
  anchorFor,
  dateAt,
  datesFrom,
  firstAfter,
  firstOnOrAfter,
  isDateOf,
  type Cadence,
  type Period,
} from '../../../shared/recurrence/cadence';

const periods = ['daily', 'weekly', 'monthly', 'yearly'] as const;
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const anyDay = (min: string, max: string): fc.Arbitrary<string> =>
  fc.date({ min: new Date(min), max: new Date(max), noInvalidDate: true }).map(dayOf);
/** Month ends and leap days as often as all other days together. */
const anchor = fc.oneof(
  anyDay('1500-01-01', '2500-12-31'),
  anyDay('1500-01-01', '2500-12-31').map((day) => DateTime.fromISO(day).endOf('month').toFormat('yyyy-MM-dd')),
  fc.integer({ min: 376, max: 624 }).map((n) =>
    DateTime.utc(n * 4, 3, 1)
      .minus({ days: 1 })
      .toFormat('yyyy-MM-dd'),
  ),
);
const every = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 36 }));
const cadence: fc.Arbitrary<Cadence> = fc.record({ period: fc.constantFrom(...periods), every, anchor });
/** A series, and which of its dates: as many periods from its anchor, however many lie between two dates. */
const numbered = fc
  .tuple(cadence, fc.integer({ min: -400, max: 3_000 }))
  .map(([series, n]) => [series, Math.trunc(n / series.every)] as const);

const meanDays = { daily: 1, weekly: 7, monthly: 365.2425 / 12, yearly: 365.2425 } as const;
const units = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;
/** What luxon says: so many of the unit, added to the anchor at once. */
function oracle({ period, every, anchor: from }: Cadence, n: number): string | null {
  const date = DateTime.fromISO(from, { zone: 'utc' }).plus({ [units[period]]: n * every });
  return date.year <= 9999 ? date.toFormat('yyyy-MM-dd') : null;
}
/** The week (as days since a Monday), month or year that a day is in, numbered without gaps. */
function periodOf({ period, anchor: from }: Cadence, day: string): number {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  if (period === 'yearly') return year;
  if (period === 'monthly') return year * 12 + month;
  return (Date.parse(day) - Date.parse(from)) / 86_400_000 / (period === 'weekly' ? 7 : 1);
}

describe('the dates of a series', () => {
  test('a monthly one from January 31 falls on the last day of shorter months and comes back to the 31st', () => {
    const cadence = { period: 'monthly', every: 1, anchor: '2027-01-31' } as const;
    expect(datesFrom(cadence, '2027-02-01', { until: '2028-03-31' })).toEqual([
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
      '2027-06-30',
      '2027-07-31',
      '2027-08-31',
      '2027-09-30',
      '2027-10-31',
      '2027-11-30',
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
    ]);
    expect(firstAfter(cadence, '2027-02-28')).toBe('2027-03-31');
    expect(dateAt(cadence, -1)).toBe('2026-12-31');
  });
});

describe('any series', () => {
  test('its n-th date › is n times `every` periods from its anchor, as an independent calendar counts them', () => {
    fc.assert(
      fc.property(numbered, ([series, n]) => {
        expect(dateAt(series, n)).toBe(oracle(series, n));
      }),
      { numRuns: 3_000 },
    );
  });

  test('never skips and never repeats: each date is `every` periods after the one before, and later', () => {
    fc.assert(
      fc.property(numbered, ([series, n]) => {
        const [date, next] = [dateAt(series, n) ?? '', dateAt(series, n + 1) ?? ''];
        expect(next > date).toBe(true);
        expect(periodOf(series, next) - periodOf(series, date)).toBe(series.every);
      }),
      { numRuns: 3_000 },
    );
  });

  test('n single steps from the anchor › arrive at the n-th date', () => {
    fc.assert(
      fc.property(cadence, fc.integer({ min: 0, max: 200 }), (series, n) => {
        let date: string | null = series.anchor;
        for (let step = 0; step < n; step++) date = date === null ? null : firstAfter(series, date);
        expect(date).toBe(dateAt(series, n));
      }),
      { numRuns: 200 },
    );
  });

  test('the first on or after any day › is the least of its dates that is not before', () => {
    fc.assert(
      fc.property(cadence, anyDay('1200-01-01', '2800-12-31'), (series, day) => {
        const first = firstOnOrAfter(series, day) ?? '';
        expect(first >= day).toBe(true);
        expect(isDateOf(series, first)).toBe(true);
        // Its dates ascend: none lies between the day and the first if the one before the first is before the day.
        const number = Math.round(daysBetween(series.anchor, first) / (series.every * meanDays[series.period]));
        const n = [number - 1, number, number + 1].find((near) => dateAt(series, near) === first);
        expect(n).toBeDefined();
        expect((dateAt(series, (n ?? 0) - 1) ?? '') < day).toBe(true);
        const after = firstAfter(series, day) ?? '';
        if (first > day) expect(after).toBe(first);
        else expect(periodOf(series, after) - periodOf(series, day)).toBe(series.every);
        expect(isDateOf(series, after)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('every date › is a real day, with the anchor’s day of the month or the last of a shorter month', () => {
    fc.assert(
      fc.property(fc.constantFrom<Period>('monthly', 'yearly'), numbered, (period, [{ every, anchor: from }, n]) => {
        const date = DateTime.fromISO(dateAt({ period, every, anchor: from }, n) ?? '', { zone: 'utc' });
        expect(date.isValid).toBe(true);
        expect(date.day).toBe(Math.min(Number(from.slice(8)), date.daysInMonth ?? 0));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a day › is one of its dates only if it is some n-th one', () => {
    fc.assert(
      fc.property(numbered, fc.integer({ min: -40, max: 40 }), ([series, n], days) => {
        const day = addDays(dateAt(series, n) ?? '', days) ?? '';
        const around = Array.from({ length: 100 }, (_, k) => dateAt(series, n - 50 + k));
        expect(isDateOf(series, day)).toBe(around.includes(day));
      }),
      { numRuns: 500 },
    );
  });

  test('the dates from any day on › are all of them in order, bounded by a last day and by their number', () => {
    fc.assert(
      fc.property(cadence, anyDay('1800-01-01', '2200-12-31'), fc.nat(60), (series, from, limit) => {
        const dates = datesFrom(series, from, { limit });
        expect(dates).toHaveLength(limit);
        const steps = dates.map((_, at) =>
          at === 0 ? firstOnOrAfter(series, from) : firstAfter(series, dates[at - 1] ?? ''),
        );
        expect(dates).toEqual(steps);
        const until = dates.at(-1);
        if (until !== undefined) {
          expect(datesFrom(series, from, { until })).toEqual(dates);
          expect(datesFrom(series, from, { until: addDays(until, -1) ?? '' })).toEqual(dates.slice(0, -1));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the anchor of a series that continues on a day', () => {
  const monthly = { period: 'monthly', every: 1, anchor: '2027-01-31' } as const;
  const after = (series: Cadence, day: string): string[] =>
    datesFrom({ ...series, anchor: anchorFor(series, day) }, day, { limit: 4 });

  test('stays, if the day is one of its dates', () => {
    expect(anchorFor(monthly, '2027-02-28')).toBe('2027-01-31');
    expect(anchorFor({ ...monthly, every: 3 }, '2027-04-30')).toBe('2027-01-31');
  });

  test('is the day itself, if it would be none with one period either', () => {
    expect(anchorFor({ ...monthly, every: 3 }, '2027-02-27')).toBe('2027-02-27');
    expect(anchorFor({ ...monthly, period: 'weekly', every: 2 }, '2027-02-07')).toBe('2027-02-07');
  });

  test('of another number of periods › lets month ends and leap days return', () => {
    expect(after({ ...monthly, every: 3 }, '2027-02-28')).toEqual([
      ...['2027-02-28', '2027-05-31', '2027-08-31', '2027-11-30'],
    ]);
    expect(after({ ...monthly, every: 12 }, '2027-02-28')).toEqual([
      ...['2027-02-28', '2028-02-29', '2029-02-28', '2030-02-28'],
    ]);
    const leap = { period: 'yearly', every: 3, anchor: '2024-02-29' } as const;
    expect(after(leap, '2025-02-28')).toEqual(['2025-02-28', '2028-02-29', '2031-02-28', '2034-02-28']);
  });

  test('whatever the series › the day is one of its dates, and every date one that it had with one period', () => {
    fc.assert(
      fc.property(numbered, fc.integer({ min: 1, max: 36 }), ([series, n], every) => {
        const day = dateAt(series, n) ?? '';
        const changed = { ...series, every, anchor: anchorFor({ ...series, every }, day) };
        expect(isDateOf(changed, day)).toBe(true);
        for (const date of datesFrom(changed, day, { limit: 15 })) {
          expect(isDateOf({ ...series, every: 1 }, date)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('leap days, and the calendar’s end', () => {
  test('yearly from February 29 › the 28th in other years, the 29th again in leap years, over centuries', () => {
    const leap = { period: 'yearly', every: 1, anchor: '2096-02-29' } as const;
    expect(datesFrom(leap, '2096-01-01', { limit: 10 })).toEqual([
      ...['2096-02-29', '2097-02-28', '2098-02-28', '2099-02-28', '2100-02-28', '2101-02-28', '2102-02-28'],
      ...['2103-02-28', '2104-02-29', '2105-02-28'],
    ]);
    expect(dateAt(leap, -96)).toBe('2000-02-29');
    expect(firstOnOrAfter(leap, '2097-03-01')).toBe('2098-02-28');
    expect(isDateOf(leap, '2104-02-28')).toBe(false);
  });

  test('monthly from the 29th, 30th and 31st › the last day of February, and back', () => {
    for (const day of ['29', '30', '31']) {
      const series = { period: 'monthly', every: 1, anchor: `2027-01-${day}` } as const;
      expect(dateAt(series, 1)).toBe('2027-02-28');
      expect(dateAt(series, 13)).toBe('2028-02-29');
      expect(dateAt(series, 14)).toBe(`2028-03-${day}`);
    }
  });

  test('daily and weekly › go through February 29', () => {
    expect(dateAt({ period: 'daily', every: 1, anchor: '2028-02-28' }, 2)).toBe('2028-03-01');
    expect(dateAt({ period: 'weekly', every: 1, anchor: '2028-02-22' }, 1)).toBe('2028-02-29');
  });

  test.each(periods)('%s › ends with the year 9999', (period) => {
    const series = { period, every: 1, anchor: '9998-12-31' };
    const dates = datesFrom(series, '9998-12-31');
    expect(dates.length).toBe({ daily: 366, weekly: 53, monthly: 13, yearly: 2 }[period]);
    const last = dates.at(-1) ?? '';
    expect(last <= LAST_DAY).toBe(true);
    expect(firstAfter(series, last)).toBeNull();
    expect(firstAfter(series, LAST_DAY)).toBeNull();
    expect(dateAt(series, dates.length)).toBeNull();
    expect(dateAt(series, 1_000_000)).toBeNull();
    expect(isDateOf(series, last)).toBe(true);
  });

  test('a series whose anchor is the last day › has that one date left', () => {
    for (const period of periods) {
      expect(datesFrom({ period, every: 1, anchor: LAST_DAY }, LAST_DAY)).toEqual([LAST_DAY]);
      expect(firstAfter({ period, every: 1, anchor: LAST_DAY }, LAST_DAY)).toBeNull();
    }
  });
});
