import fc from 'fast-check';
import { addDays, LAST_DAY } from '../../../shared/dates/dates';
import { planOccurrences, upcomingDates, type SeriesPosition } from '../../../shared/recurrence/planOccurrences';
import { dateAt } from '../../../shared/recurrence/cadence';

const monthly: SeriesPosition = {
  cadence: { every: 'monthly', anchor: '2027-01-31' },
  nextDueDate: '2027-02-28',
  since: '2027-01-31',
};
const daily: SeriesPosition = {
  cadence: { every: 'daily', anchor: '2027-01-01' },
  nextDueDate: '2027-01-01',
  since: '2027-01-01',
};

describe('what is due of a series', () => {
  test('the day before its next date › is nothing, and it stays there', () => {
    expect(planOccurrences(monthly, '2027-02-27')).toEqual({ dates: [], nextDueDate: '2027-02-28' });
  });

  test('on its next date › is that date, and it moves on by the anchor', () => {
    expect(planOccurrences(monthly, '2027-02-28')).toEqual({ dates: ['2027-02-28'], nextDueDate: '2027-03-31' });
    expect(planOccurrences(monthly, '2027-03-30')).toEqual({ dates: ['2027-02-28'], nextDueDate: '2027-03-31' });
  });

  test('after a long time › is every date missed, oldest first, at most so many at a time', () => {
    expect(planOccurrences(monthly, '2027-05-31').dates).toEqual([
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
    ]);
    expect(planOccurrences(monthly, '2027-05-31', 2)).toEqual({
      dates: ['2027-02-28', '2027-03-31'],
      nextDueDate: '2027-04-30',
    });
  });

  test('before the day since which it recurs › is passed over; that day itself is not', () => {
    const old = { ...monthly, cadence: { every: 'monthly', anchor: '2020-01-31' }, nextDueDate: '2020-02-29' } as const;
    expect(planOccurrences({ ...old, since: '2027-02-28' }, '2027-02-28').dates).toEqual(['2027-02-28']);
    expect(planOccurrences({ ...old, since: '2027-03-01' }, '2027-03-30')).toEqual({
      dates: [],
      nextDueDate: '2027-03-31',
    });
  });

  test('of one that is made now and begins later › is its next date, literally', () => {
    expect(planOccurrences({ ...monthly, since: '2020-01-01' }, '2027-03-01').dates).toEqual(['2027-02-28']);
  });

  test('at the calendar’s end › is its last date, and nothing comes after', () => {
    const last = { ...daily, nextDueDate: LAST_DAY };
    expect(planOccurrences(last, LAST_DAY)).toEqual({ dates: [LAST_DAY], nextDueDate: null });
    const yearly = { cadence: { every: 'yearly', anchor: '9990-03-01' }, nextDueDate: '9999-03-01' } as const;
    expect(planOccurrences({ ...yearly, since: '9999-03-02' }, LAST_DAY)).toEqual({ dates: [], nextDueDate: null });
    expect(upcomingDates({ ...yearly, since: '9999-03-02' }, 5)).toEqual([]);
    expect(upcomingDates({ ...yearly, since: '9990-01-01' }, 5)).toEqual(['9999-03-01']);
  });
});

describe('what is to come of a series', () => {
  test('are its next dates, as many as asked for, from the day since which it recurs', () => {
    expect(upcomingDates(monthly, 3)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30']);
    expect(upcomingDates({ ...monthly, since: '2027-03-15' }, 2)).toEqual(['2027-03-31', '2027-04-30']);
    expect(upcomingDates(monthly, 0)).toEqual([]);
  });
});

const position = fc
  .record({
    every: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const, 'yearly' as const),
    anchorDay: fc.nat(3_000),
    step: fc.nat(60),
    sinceDay: fc.nat(4_000),
  })
  .map(({ every, anchorDay, step, sinceDay }): SeriesPosition => {
    const cadence = { every, anchor: addDays('1990-01-01', anchorDay) ?? '' };
    return { cadence, nextDueDate: dateAt(cadence, step) ?? '', since: addDays('1990-01-01', sinceDay) ?? '' };
  });
const today = fc.nat(5_000).map((days) => addDays('1990-01-01', days) ?? '');

test('however it is cut into batches › the same dates come, each once, none left out', () => {
  fc.assert(
    fc.property(position, today, fc.integer({ min: 5, max: 50 }), (from, day, limit) => {
      const whole = planOccurrences(from, day);
      const pieces: string[] = [];
      for (let at: SeriesPosition | null = from; at !== null;) {
        const plan = planOccurrences(at, day, limit);
        pieces.push(...plan.dates);
        const { nextDueDate } = plan;
        at = plan.dates.length === 0 || nextDueDate === null ? null : { ...at, nextDueDate };
      }
      expect(pieces).toEqual(whole.dates);
      expect(new Set(pieces).size).toBe(pieces.length);
      expect(pieces.filter((date) => date < from.since || date < from.nextDueDate || date > day)).toEqual([]);
      expect((whole.nextDueDate ?? '') > day).toBe(true);
    }),
    { numRuns: 100 },
  );
});
