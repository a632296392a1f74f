import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import {
  addDays,
  dayIn,
  daysBetween,
  endOfDay,
  hourOfDay,
  isDateOnly,
  offsetsBetween,
  readDate,
  startOfDay,
  toMidnightUtc,
} from '../../../shared/dates/dates';

const anyDay = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** Counts what is formatted: each look-up of an offset is one. */
const lookUps = () => jest.spyOn(Intl.DateTimeFormat.prototype as { readonly format: unknown }, 'format', 'get');

describe('dates', () => {
  test('any day of the calendar › shown as a timestamp and read again › is the same day', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        expect(readDate(day)).toBe(day);
        expect(readDate(toMidnightUtc(day))).toBe(day);
      }),
    );
  });

  test('any year, month and day › is a date only if the calendar has it', () => {
    const lengths = (year: number): number[] => {
      const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
      return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    };
    const part = (value: number, digits: number): string => String(value).padStart(digits, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const exists = year >= 1000 && day >= 1 && day <= (lengths(year)[month - 1] ?? 0);
          expect(isDateOnly(`${part(year, 4)}-${part(month, 2)}-${part(day, 2)}`)).toBe(exists);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each(['2024-02-29', '2000-02-29', '1000-01-01', '9999-12-31'])('%s › is a day', (text) => {
    expect(readDate(text)).toBe(text);
  });

  test.each(['2026-02-29', '2026-02-30', '1900-02-29', '2026-04-31', '2026-00-10', '2026-13-01', '2026-01-00'])(
    '%s › is not in the calendar',
    (text) => {
      expect(readDate(text)).toBeNull();
    },
  );

  test.each([
    '2026-01-31T00:00:00.000Z',
    '2026-01-31T00:00:00Z',
    '2026-01-31T00:00:00.0Z',
    '2026-01-31T00:00:00.000000Z',
    '2026-01-31T00:00:00+00:00',
  ])('%s, midnight UTC › is its day', (text) => {
    expect(readDate(text)).toBe('2026-01-31');
  });

  test.each([
    '2026-01-31T00:00:00.001Z',
    '2026-01-31T00:00:01Z',
    '2026-01-31T23:59:59Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T00:00:00',
    '2026-01-31T00:00:00+07:00',
    '2026-02-30T00:00:00.000Z',
    '2026-01-31 00:00:00',
    '2026-1-31',
    '26-01-31',
    '31.01.2026',
    '20260131',
    '2026-01-31\n',
    ' 2026-01-31',
    '+002026-01-31',
    '2026-W05-6',
    'today',
    '',
  ])('"%s" › is no day', (text) => {
    expect(readDate(text)).toBeNull();
  });
});

describe('days counted', () => {
  test('so many days later, and counted between › are inverse', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -200_000, max: 200_000 }), (day, days) => {
        const moved = addDays(day, days);
        const expected = DateTime.fromISO(day, { zone: 'utc' }).plus({ days });
        if (moved === null) expect(expected.year > 9999 || expected.year < 1000).toBe(true);
        else {
          expect(moved).toBe(expected.toFormat('yyyy-MM-dd'));
          expect(daysBetween(day, moved)).toBe(days);
        }
      }),
    );
  });

  test('beyond the calendar’s end › null, however far; its ends themselves › are days', () => {
    expect(addDays('9999-12-30', 1)).toBe('9999-12-31');
    expect(addDays('9999-12-31', 1)).toBeNull();
    expect(addDays('1000-01-02', -1)).toBe('1000-01-01');
    for (const days of [2, 366, 1_000_000, 200_000_000, 1e12]) expect(addDays('9999-12-31', days)).toBeNull();
    expect(addDays('0001-01-01', -1_000)).toBeNull();
  });
});

describe('days of a time zone', () => {
  test.each([
    ['Etc/GMT+12', '2026-03-31T11:59:59.999Z', '2026-03-30'],
    ['Etc/GMT+12', '2026-03-31T12:00:00.000Z', '2026-03-31'],
    ['Pacific/Kiritimati', '2026-03-31T09:59:59.999Z', '2026-03-31'],
    ['Pacific/Kiritimati', '2026-03-31T10:00:00.000Z', '2026-04-01'],
    ['Asia/Kathmandu', '2026-03-31T18:14:59.999Z', '2026-03-31'],
    ['Asia/Kathmandu', '2026-03-31T18:15:00.000Z', '2026-04-01'],
    ['UTC', '2026-12-31T23:59:59.999Z', '2026-12-31'],
    ['Asia/Jakarta', '2026-12-31T17:00:00.000Z', '2027-01-01'],
  ])('%s at %s › %s', (timezone, moment, day) => {
    expect(dayIn(timezone, new Date(moment))).toBe(day);
  });

  test.each([
    ['Asia/Jakarta', '2026-01-31', '2026-01-30T17:00:00.000Z'],
    ['Etc/GMT+12', '2026-01-31', '2026-01-31T12:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-31', '2026-01-30T10:00:00.000Z'],
    // Summer time: the day before, the day itself, the day after.
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
    // The clocks skip midnight: the day begins at 01:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    ['Africa/Cairo', '2023-04-28', '2023-04-27T22:00:00.000Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
    // Midnight comes twice: the day begins with the first.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    // 23:00 comes twice: the day before is longer.
    ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00:00.000Z'],
  ])('in %s the day %s › begins at %s', (timezone, day, moment) => {
    expect(startOfDay(day, timezone).toISOString()).toBe(moment);
  });

  /** The days that zones left out since 1900, when they moved over the date line, and when each was to begin. */
  const leftOut = [
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Enderbury', '1994-12-31', '1994-12-31T11:00:00.000Z'],
    ['Pacific/Fakaofo', '2011-12-30', '2011-12-30T11:00:00.000Z'],
    ['Pacific/Kiritimati', '1994-12-31', '1994-12-31T10:00:00.000Z'],
    ['Pacific/Kwajalein', '1993-08-21', '1993-08-21T12:00:00.000Z'],
  ] as const;
  const isLeftOut = (timezone: string, day: string) => leftOut.some(([zone, out]) => zone === timezone && out === day);

  test.each(leftOut)(
    'in %s the day %s, that it left out › begins at %s, when the next does',
    (timezone, day, moment) => {
      expect(startOfDay(day, timezone).toISOString()).toBe(moment);
      expect(startOfDay(addDays(day, 1)!, timezone).toISOString()).toBe(moment);
    },
  );

  test('in any zone, any day of two centuries › begins at its first moment: that is the day, and a millisecond before it was not', () => {
    const zones = [
      ...[
        'UTC',
        'Etc/GMT+12',
        'Pacific/Kiritimati',
        'Asia/Jakarta',
        'Asia/Kathmandu',
        'America/Sao_Paulo',
        'Africa/Cairo',
      ],
      ...[
        'America/Havana',
        'Asia/Beirut',
        'Australia/Lord_Howe',
        'America/St_Johns',
        'Europe/Dublin',
        'Africa/Casablanca',
      ],
      ...['Asia/Tehran', 'America/Asuncion', 'Atlantic/Azores', 'America/Scoresbysund', 'Asia/Gaza'],
    ];
    const day = fc
      .date({ min: new Date('1971-01-01'), max: new Date('2170-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(fc.constantFrom(...zones), day, (timezone, wanted) => {
        fc.pre(!isLeftOut(timezone, wanted));
        const start = startOfDay(wanted, timezone);
        expect(dayIn(timezone, start)).toBe(wanted);
        expect(dayIn(timezone, new Date(start.getTime() - 1)) < wanted).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('in any zone, any instant and day of the calendar › are what luxon says', () => {
    const instant = fc.date({ min: new Date('1000-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    const recent = fc.date({ min: new Date('1900-01-02'), max: new Date('2040-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), fc.oneof(instant, recent), (zone, at) => {
        expect(dayIn(zone, at)).toBe(DateTime.fromJSDate(at, { zone }).toISODate());
        const day = at.toISOString().slice(0, 10);
        fc.pre(!isLeftOut(zone, day));
        const midnight = DateTime.fromISO(day, { zone }).startOf('day');
        const first = Math.min(...midnight.getPossibleOffsets().map((moment) => moment.toMillis()));
        expect(startOfDay(day, zone).toISOString()).toBe(new Date(first).toISOString());
        expect(hourOfDay(day, 8, zone)).toEqual(DateTime.fromISO(day, { zone }).set({ hour: 8 }).toJSDate());
      }),
      { numRuns: 1_000 },
    );
  });

  test('a full hour that the clocks skip › is the one that they show instead; the first of two that they show', () => {
    expect(hourOfDay('2026-03-29', 8, 'Europe/Berlin')).toEqual(new Date('2026-03-29T06:00:00Z'));
    expect(hourOfDay('2026-03-29', 2, 'Europe/Berlin')).toEqual(new Date('2026-03-29T01:00:00Z'));
    expect(hourOfDay('2026-10-25', 2, 'Europe/Berlin')).toEqual(new Date('2026-10-25T00:00:00Z'));
  });

  test('beyond the last day of the calendar › that day', () => {
    expect(dayIn('Asia/Jakarta', new Date('9999-12-31T20:00:00Z'))).toBe('9999-12-31');
  });

  test('a zone in many spellings › takes one formatter', () => {
    const format = jest.spyOn(Intl, 'DateTimeFormat');
    const zone = 'America/Argentina/ComodRivadavia';
    for (let n = 0; n < zone.length; n++) {
      const spelling = zone.slice(0, n).toUpperCase() + zone.slice(n).toLowerCase();
      expect(startOfDay('2026-01-31', spelling)).toEqual(new Date('2026-01-31T03:00:00Z'));
      expect(dayIn(spelling, new Date('2026-01-31T02:59:00Z'))).toBe('2026-01-30');
    }
    expect(format.mock.calls.length).toBeLessThanOrEqual(1);
    format.mockRestore();
  });

  test('the start of a day › takes two look-ups of the offset', () => {
    startOfDay('2026-01-31', 'Europe/Berlin');
    const format = lookUps();
    startOfDay('2026-01-31', 'Europe/Berlin');
    expect(format).toHaveBeenCalledTimes(2);
    format.mockRestore();
  });

  test('an unknown zone › is an error, not another day', () => {
    expect(() => dayIn('Mars/Olympus', new Date())).toThrow(RangeError);
    expect(() => startOfDay('2026-01-01', 'Mars/Olympus')).toThrow(RangeError);
  });
});

describe('the offsets of a time zone', () => {
  const zones = [
    'Asia/Jakarta',
    'Asia/Kolkata',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/St_Johns',
    'Pacific/Apia',
  ];
  const instant = fc.date({ min: new Date('2005-01-01'), max: new Date('2013-12-31'), noInvalidDate: true });

  test('any instant › with its offset added, has the day that it is there', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), instant, fc.integer({ min: 0, max: 366 }), (zone, from, days) => {
        const to = new Date(from.getTime() + days * 86_400_000);
        const offsets = offsetsBetween(zone, from, to);
        const wrong: Date[] = [];
        for (let ms = from.getTime(); ms <= to.getTime(); ms += 5_400_000) {
          const offset = offsets.find(({ until }) => until === null || ms < until.getTime());
          const shown = new Date(ms + (offset?.seconds ?? 0) * 1000).toISOString().slice(0, 10);
          if (shown !== dayIn(zone, new Date(ms))) wrong.push(new Date(ms));
        }
        expect(wrong).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('a change of the clocks › is found to the millisecond', () => {
    const year = offsetsBetween('America/New_York', new Date('2026-01-01T05:00:00Z'), new Date('2027-01-01T05:00:00Z'));
    expect(year).toEqual([
      { seconds: -18_000, until: new Date('2026-03-08T07:00:00Z') },
      { seconds: -14_400, until: new Date('2026-11-01T06:00:00Z') },
      { seconds: -18_000, until: null },
    ]);
  });

  test('ten years › take a look-up every six days, and some for each change', () => {
    const format = lookUps();
    offsetsBetween('Europe/Berlin', new Date('2016-01-01'), new Date('2026-01-01'));
    expect(format.mock.calls.length).toBeLessThan(3653 / 6 + 20 * 35);
    format.mockRestore();
  });

  test('any zone from 1999 to 2029 › has no two changes so close together that a step passes over both', () => {
    const changes = (timezone: string, from: string): unknown[] =>
      offsetsBetween(timezone, new Date(from), new Date('2030-01-01')).map(({ seconds, until }) => [seconds, until]);
    const missed = Intl.supportedValuesOf('timeZone').filter(
      // Steps of six days that end in the middle of the others.
      (zone) => !isDeepStrictEqual(changes(zone, '1999-01-01'), changes(zone, '1999-01-04')),
    );
    expect(missed).toEqual([]);
  }, 60_000);

  test('a day › ends where the next one begins, the last one of the calendar as well', () => {
    expect(endOfDay('2026-03-08', 'America/New_York')).toEqual(new Date('2026-03-09T04:00:00Z'));
    expect(endOfDay('9999-12-31', 'Asia/Jakarta')).toEqual(new Date('9999-12-31T23:59:59.999Z'));
  });
});
