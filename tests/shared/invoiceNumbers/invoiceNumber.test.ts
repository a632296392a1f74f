import fc from 'fast-check';
import { isInvoiceNumberFormat, numberOf, seriesOf } from '../../../shared/invoiceNumbers/invoiceNumber';

describe('invoiceNumber', () => {
  test.each([
    ['INV-{YYYY}-{SEQ:5}', 42, 'INV-2026-00042'],
    ['{YYYY}{MM}/{SEQ:3}', 7, '202603/007'],
    ['{SEQ:1}', 1, '1'],
    ['{SEQ:9}', 1, '000000001'],
    ['{SEQ:2}-{MM}-{MM}', 5, '05-03-03'],
    ['فاتورة {SEQ:4}', 12, 'فاتورة 0012'],
  ])('%s › sequence %s in March 2026 › is %s', (format, sequence, number) => {
    expect(isInvoiceNumberFormat(format)).toBe(true);
    expect(numberOf(seriesOf(format, '2026-03-31'), sequence)).toBe(number);
  });

  test('a sequence with more digits than padded › takes the digits that it needs', () => {
    expect(numberOf('A{SEQ:2}', 100)).toBe('A100');
    expect(numberOf('A{SEQ:2}', Number.MAX_SAFE_INTEGER)).toBe('A9007199254740991');
  });

  test('the series › changes with the year or month only where the format has them', () => {
    const days = ['2026-01-31', '2026-02-01', '2027-01-01'];
    const series = (format: string): number => new Set(days.map((day) => seriesOf(format, day))).size;
    expect(['{SEQ:5}', '{YYYY}-{SEQ:5}', '{MM}-{SEQ:5}', '{YYYY}{MM}{SEQ:5}'].map(series)).toEqual([1, 2, 2, 3]);
  });

  test('different sequences of one series › have different numbers', () => {
    const sequence = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(sequence, sequence, fc.integer({ min: 1, max: 9 }), (a, b, digits) => {
        const series = `X-{SEQ:${digits}}-Y`;
        expect(numberOf(series, a) === numberOf(series, b)).toBe(a === b);
      }),
    );
  });

  test('every number that an accepted format can make › fits into 50 characters', () => {
    const formats = fc
      .tuple(fc.string({ maxLength: 40 }), fc.constantFrom('{SEQ:1}', '{SEQ:9}'), fc.string({ maxLength: 20 }))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(formats, (format) => {
        fc.pre(isInvoiceNumberFormat(format));
        const number = numberOf(seriesOf(format, '2026-01-01'), Number.MAX_SAFE_INTEGER);
        expect(number.length).toBeLessThanOrEqual(50);
      }),
    );
  });

  test.each([
    '',
    'INV',
    '{YYYY}-{MM}',
    '{SEQ}',
    '{SEQ:0}',
    '{SEQ:10}',
    '{SEQ:5}{SEQ:5}',
    '{seq:5}',
    '{YY}-{SEQ:5}',
    '{DD}-{SEQ:5}',
    '{{SEQ:5}}',
    '{SEQ:5}}',
    'a\n{SEQ:5}',
    'a\u0000{SEQ:5}',
    'a\u2028{SEQ:5}',
    `${'x'.repeat(35)}{SEQ:1}`,
  ])('"%s" › is no format', (format) => {
    expect(isInvoiceNumberFormat(format)).toBe(false);
  });
});
