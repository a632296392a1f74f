import fc from 'fast-check';
import { isDateOnly, readDate, toMidnightUtc } from '../../../shared/domain/dates';

const anyDay = fc
  .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

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
