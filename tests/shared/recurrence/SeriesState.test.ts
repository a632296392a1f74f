import { ValidationFailed } from '../../../shared/engine/errors';
import {
  cadenceOf,
  changeSeries,
  checkSeriesRequest,
  dueAtOf,
  noSeries,
  type SeriesChanges,
  type SeriesState,
} from '../../../shared/recurrence/SeriesState';

const subject = {
  date: '2027-01-31',
  dateField: 'expenseDate',
  timezone: 'Asia/Jakarta',
  now: new Date('2027-02-03T17:00:00.000Z'),
} as const;
const begin = (changes: SeriesChanges, over: object = {}): SeriesState =>
  changeSeries(noSeries, changes, { ...subject, ...over });
const monthly = begin({ recurring: 'monthly' });

function problemOf(run: () => unknown): unknown {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    return error.problems[0];
  }
}

describe('a new record', () => {
  test.each([{}, { recurring: 'none' as const }, { nextDueDate: null }])('%j › is no series', (changes) => {
    expect(begin(changes)).toEqual(noSeries);
  });

  test('none with a nextDueDate › keeps it, and is never due', () => {
    expect(begin({ nextDueDate: '2027-05-05' })).toEqual({ ...noSeries, nextDueDate: '2027-05-05' });
  });

  test('a series without a nextDueDate › is due one period after its date, counted from it', () => {
    expect(monthly).toEqual({
      ...{ recurring: 'monthly', every: 1, endsOn: null, paused: false },
      nextDueDate: '2027-02-28',
      anchorDate: '2027-01-31',
      recurringSince: '2027-02-04',
      dueAt: new Date('2027-02-27T17:00:00.000Z'),
    });
    expect(begin({ recurring: 'monthly', nextDueDate: null })).toEqual(monthly);
  });

  test('a nextDueDate that is one of the dates counted from its own › leaves the anchor there', () => {
    expect(begin({ recurring: 'monthly', nextDueDate: '2027-04-30' }).anchorDate).toBe('2027-01-31');
    expect(begin({ recurring: 'monthly', nextDueDate: '2027-01-31' }).anchorDate).toBe('2027-01-31');
  });

  test('any other nextDueDate › is the anchor', () => {
    expect(begin({ recurring: 'monthly', nextDueDate: '2027-02-10' }).anchorDate).toBe('2027-02-10');
    expect(begin({ recurring: 'weekly', nextDueDate: '2027-02-06' }).anchorDate).toBe('2027-02-06');
    expect(begin({ recurring: 'weekly', nextDueDate: '2027-02-07' }).anchorDate).toBe('2027-01-31');
  });

  test('it is a series since the company’s day, wherever the server is', () => {
    const since = (timezone: string): string | null => begin({ recurring: 'daily' }, { timezone }).recurringSince;
    expect([since('Etc/GMT+12'), since('UTC'), since('Asia/Jakarta')]).toEqual([
      '2027-02-03',
      '2027-02-03',
      '2027-02-04',
    ]);
  });
});

describe('a series that is changed', () => {
  const change = (changes: SeriesChanges, over: object = {}, before = monthly): SeriesState =>
    changeSeries(before, changes, { ...subject, now: new Date('2027-02-20T00:00:00Z'), ...over });

  test.each([
    {},
    { recurring: 'monthly' as const },
    { nextDueDate: '2027-02-28' },
    { recurring: 'monthly' as const, nextDueDate: '2027-02-28' },
    { nextDueDate: null },
  ])('%j, as it was read › stays what it is, the anchor too', (changes) => {
    expect(change(changes)).toEqual(monthly);
  });

  test('after dates have passed › what is put back keeps the anchor, null begins one period after its date again', () => {
    const later = { ...monthly, nextDueDate: '2027-06-30', dueAt: dueAtOf('2027-06-30', 'Asia/Jakarta') };
    expect(change({ nextDueDate: '2027-06-30' }, {}, later)).toEqual(later);
    expect(change({ nextDueDate: null }, {}, later)).toEqual(monthly);
    // Whatever its anchor was by then.
    const moved = change({ nextDueDate: '2027-03-15' }, {}, later);
    expect(moved.anchorDate).toBe('2027-03-15');
    expect(change({ nextDueDate: null }, {}, moved)).toEqual(monthly);
  });

  test('another nextDueDate › moves the anchor only if it is none of the dates', () => {
    expect(change({ nextDueDate: '2027-03-31' })).toMatchObject({
      nextDueDate: '2027-03-31',
      anchorDate: '2027-01-31',
    });
    expect(change({ nextDueDate: '2027-03-30' })).toMatchObject({
      nextDueDate: '2027-03-30',
      anchorDate: '2027-03-30',
    });
  });

  test('another period › keeps nextDueDate, and the anchor if it still fits', () => {
    expect(change({ recurring: 'daily' })).toMatchObject({ nextDueDate: '2027-02-28', anchorDate: '2027-01-31' });
    expect(change({ recurring: 'weekly' })).toMatchObject({ nextDueDate: '2027-02-28', anchorDate: '2027-01-31' });
    expect(change({ recurring: 'yearly' })).toMatchObject({ nextDueDate: '2027-02-28', anchorDate: '2027-02-28' });
  });

  test('a later date of the record › keeps nextDueDate and anchor, unless it passes nextDueDate', () => {
    expect(change({}, { date: '2027-02-28' })).toEqual(monthly);
    expect(problemOf(() => change({}, { date: '2027-03-01' }))).toEqual({
      path: 'nextDueDate',
      message: 'must not be before expenseDate',
    });
  });

  test('recurring none › clears everything; with a nextDueDate › keeps that', () => {
    expect(change({ recurring: 'none' })).toEqual(noSeries);
    expect(change({ recurring: 'none', nextDueDate: null })).toEqual(noSeries);
    expect(change({ recurring: 'none', nextDueDate: '2027-02-28' })).toEqual({
      ...noSeries,
      nextDueDate: '2027-02-28',
    });
  });

  test('made one again › takes the kept date, and is one since then', () => {
    const kept = { ...noSeries, nextDueDate: '2027-02-28' };
    const again = change({ recurring: 'monthly' }, {}, kept);
    expect(again).toEqual({ ...monthly, recurringSince: '2027-02-20' });
  });

  test('no series, changed otherwise › keeps its nextDueDate; null clears it', () => {
    const kept = { ...noSeries, nextDueDate: '2027-02-28' };
    expect(change({}, {}, kept)).toEqual(kept);
    expect(change({ nextDueDate: null }, {}, kept)).toEqual(noSeries);
  });

  test('another time zone of the company › is another time, the same days', () => {
    const there = change({}, { timezone: 'America/New_York' });
    expect(there).toEqual({ ...monthly, dueAt: new Date('2027-02-28T05:00:00.000Z') });
  });
});

describe('what is refused', () => {
  test.each(['none', 'daily', 'monthly'] as const)(
    '%s with a nextDueDate before the date › names both',
    (recurring) => {
      const changes = { recurring, nextDueDate: '2027-01-30' };
      const problem = { path: 'nextDueDate', message: 'must not be before issueDate' };
      expect(problemOf(() => begin(changes, { dateField: 'issueDate' }))).toEqual(problem);
      const { date } = subject;
      expect(problemOf(() => checkSeriesRequest(changes, { date, dateField: 'issueDate' }))).toEqual(problem);
    },
  );

  test('a series that would begin after the year 9999 › is refused at nextDueDate', () => {
    for (const recurring of ['daily', 'weekly', 'monthly', 'yearly'] as const) {
      expect(problemOf(() => begin({ recurring }, { date: '9999-12-31' }))).toMatchObject({ path: 'nextDueDate' });
      const request = { date: '9999-12-31', dateField: 'expenseDate' } as const;
      const changes = { recurring, nextDueDate: null };
      expect(problemOf(() => checkSeriesRequest(changes, request))).toMatchObject({ path: 'nextDueDate' });
    }
  });

  test('a request that only the record can show to be wrong › passes by itself', () => {
    const field = { dateField: 'expenseDate' } as const;
    checkSeriesRequest({ nextDueDate: '2000-01-01' }, { ...field, date: undefined });
    checkSeriesRequest({ recurring: 'daily' }, { ...field, date: '9999-12-31' });
    checkSeriesRequest({ recurring: 'none', nextDueDate: null }, { ...field, date: '9999-12-31' });
    checkSeriesRequest({ nextDueDate: '2027-01-31' }, { ...field, date: '2027-01-31' });
  });
});

test('a date long ago › is due since the epoch at the latest', () => {
  expect(dueAtOf('1000-01-01', 'Pacific/Kiritimati')).toEqual(new Date(0));
  expect(dueAtOf('1970-01-01', 'Etc/GMT+12')).toEqual(new Date('1970-01-01T12:00:00Z'));
});

test('the dates of a record › only of a series', () => {
  expect(cadenceOf(noSeries)).toBeNull();
  expect(cadenceOf(monthly)).toEqual({ period: 'monthly', every: 1, anchor: '2027-01-31' });
});
