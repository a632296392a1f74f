import { dateAt, datesFrom, firstAfter } from '../../../shared/domain/recurrence';

describe('the dates of a series', () => {
  test('a monthly one from January 31 falls on the last day of shorter months and comes back to the 31st', () => {
    const cadence = { every: 'monthly', anchor: '2027-01-31' } as const;
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
