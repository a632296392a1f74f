import fc from 'fast-check';
import { addDays, LAST_DAY } from '../../../shared/dates/dates';
import { planOccurrences, upcomingDates, type SeriesPosition } from '../../../shared/recurrence/planOccurrences';
import { dateAt } from '../../../shared/recurrence/cadence';

const monthly: SeriesPosition = {
  cadence: { period: 'monthly', every: 1, anchor: '2027-01-31' },
  nextDueDate: '2027-02-28',
  since: '2027-01-31',
  endsOn: null,
};
const daily: SeriesPosition = {
  cadence: { period: 'daily', every: 1, anchor: '2027-01-01' },
  nextDueDate: '2027-01-01',
  since: '2027-01-01',
  endsOn: null,
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
    const old = {
      ...monthly,
      cadence: { period: 'monthly', every: 1, anchor: '2020-01-31' },
      nextDueDate: '2020-02-29',
    } as const;
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
    const yearly = {
      cadence: { period: 'yearly', every: 1, anchor: '9990-03-01' },
      nextDueDate: '9999-03-01',
      endsOn: null,
    } as const;
    expect(planOccurrences({ ...yearly, since: '9999-03-02' }, LAST_DAY)).toEqual({ dates: [], nextDueDate: null });
    expect(upcomingDates({ ...yearly, since: '9999-03-02' }, 5)).toEqual([]);
    expect(upcomingDates({ ...yearly, since: '9990-01-01' }, 5)).toEqual(['9999-03-01']);
  });
});

describe('a series that ends', () => {
  const ending = { ...monthly, endsOn: '2027-03-31' };

  test('has its last date on that day, and nothing after it', () => {
    expect(planOccurrences(ending, '2027-05-31')).toEqual({ dates: ['2027-02-28', '2027-03-31'], nextDueDate: null });
    expect(planOccurrences(ending, '2027-05-31', 1)).toEqual({ dates: ['2027-02-28'], nextDueDate: '2027-03-31' });
    expect(planOccurrences({ ...ending, endsOn: '2027-03-30' }, '2027-05-31').dates).toEqual(['2027-02-28']);
    expect(upcomingDates(ending, 5)).toEqual(['2027-02-28', '2027-03-31']);
  });

  test('and has ended before it began › has no date', () => {
    const ended = { ...monthly, endsOn: '2027-02-27' };
    expect(planOccurrences(ended, '2027-05-31')).toEqual({ dates: [], nextDueDate: null });
    expect(upcomingDates(ended, 5)).toEqual([]);
    expect(planOccurrences({ ...ending, since: '2027-04-01' }, '2027-05-31')).toEqual({ dates: [], nextDueDate: null });
  });
});

describe('what is to come of a series', () => {
  test('are its next dates, as many as asked for, from the day since which it recurs', () => {
    expect(upcomingDates(monthly, 3)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30']);
    expect(upcomingDates({ ...monthly, since: '2027-03-15' }, 2)).toEqual(['2027-03-31', '2027-04-30']);
    expect(upcomingDates(monthly, 0)).toEqual([]);
  });
});

const dayOf = (days: number): string => addDays('1990-01-01', days) ?? '';
const position = fc
  .record({
    period: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const, 'yearly' as const),
    every: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 36 })),
    anchorDay: fc.nat(3_000),
    step: fc.nat(60),
    sinceDay: fc.nat(4_000),
    endDay: fc.option(fc.nat(6_000)),
  })
  .map(({ period, every, anchorDay, step, sinceDay, endDay }): SeriesPosition => {
    const cadence = { period, every, anchor: dayOf(anchorDay) };
    const endsOn = endDay === null ? null : dayOf(endDay);
    return { cadence, nextDueDate: dateAt(cadence, step) ?? '', since: dayOf(sinceDay), endsOn };
  });
const today = fc.nat(5_000).map(dayOf);

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
      const { endsOn } = from;
      if (endsOn === null) expect((whole.nextDueDate ?? '') > day).toBe(true);
      else expect([...pieces, whole.nextDueDate ?? ''].filter((date) => date > endsOn)).toEqual([]);
      // What it leaves out at its end is what it would have had without one.
      const endless = planOccurrences({ ...from, endsOn: null }, day).dates;
      expect(pieces).toEqual(endless.filter((date) => endsOn === null || date <= endsOn));
    }),
    { numRuns: 100 },
  );
});
