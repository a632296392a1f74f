import fc from 'fast-check';
import {
  MAX_HUNDREDTHS,
  formatDecimal,
  formatRate,
  isDecimal,
  isWithinBounds,
  multiply,
  parseDecimal,
  parseRate,
  percentOf,
} from '../../../shared/money/money';
import { rational, rounded, times } from './rational';

const runs = { numRuns: 2_000 };
/** Every size up to the bound is as likely as any other. */
const hundredths = fc
  .integer({ min: 0, max: 50 })
  .chain((bits) => fc.bigInt({ min: -(2n ** BigInt(bits)), max: 2n ** BigInt(bits) }))
  .filter(isWithinBounds);

/** `-123n` is `"-1.23"`, made from digits. */
function textOf(value: bigint): string {
  return rounded({ numerator: value, denominator: 100n });
}

describe('money › parseDecimal and formatDecimal', () => {
  test('any amount in range › written and read again › is the same', () => {
    fc.assert(
      fc.property(hundredths, (value) => {
        expect(formatDecimal(value)).toBe(textOf(value));
        expect(parseDecimal(textOf(value))).toBe(value);
      }),
      runs,
    );
  });

  test('any amount in range › as a JSON number › is read exactly', () => {
    fc.assert(
      fc.property(hundredths, (value) => {
        const sent = JSON.parse(textOf(value)) as number;
        expect(parseDecimal(sent)).toBe(value);
      }),
      runs,
    );
  });

  test.each([
    ['9999999999999.99', MAX_HUNDREDTHS],
    ['-9999999999999.99', -MAX_HUNDREDTHS],
    ['9999999999999.98', MAX_HUNDREDTHS - 1n],
    ['0', 0n],
    ['-0.00', 0n],
    ['0.1', 10n],
    ['0.07', 7n],
    ['-0.05', -5n],
    ['1.10', 110n],
    ['0019.99', 1_999n],
  ])('%s › is %s hundredths', (text, value) => {
    expect(parseDecimal(text)).toBe(value);
  });

  test.each([19.99, 4.35, 1.1, 0.07, 1.15, 8.2, 1234567.89, 9999999999999.99])(
    'the JSON number %s, which binary cannot hold › is read exactly',
    (value) => {
      expect(formatDecimal(parseDecimal(value))).toBe(value.toFixed(2));
    },
  );

  test.each(['', ' ', '1 ', ' 1', '+1', '1.', '.5', '1.234', '1,5', '1e3', '1e21', 'NaN', 'Infinity', '0x10', '--1'])(
    '"%s" › is no decimal',
    (text) => {
      expect(isDecimal(text)).toBe(false);
      expect(() => parseDecimal(text)).toThrow(RangeError);
    },
  );

  test.each(['10000000000000', '99999999999999.99', '1\n', '١', '１', '1.5٠'])('"%s" › is no decimal', (text) => {
    expect(isDecimal(text)).toBe(false);
  });

  test.each([NaN, Infinity, -Infinity, 1e21, 1e-7, 0.001, 1.005, 0.1 + 0.2, 1e13])(
    'the number %s › is refused, not rounded',
    (value) => {
      expect(() => parseDecimal(value)).toThrow(RangeError);
    },
  );

  test('any text at all › is a decimal only if it is digits with at most two places', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)), (text) => {
        expect(isDecimal(text)).toBe(/^-?[0-9]{1,13}([.][0-9][0-9]?)?$/.test(text) && !text.includes('\n'));
      }),
      runs,
    );
  });
});

describe('money › parseRate and formatRate', () => {
  test.each([
    ['11', '11.00'],
    ['8.875', '8.875'],
    ['0.0001', '0.0001'],
    ['100.0000', '100.00'],
    ['7.5', '7.50'],
    [0.0625, '0.0625'],
  ])('%s › is shown as %s', (given, shown) => {
    expect(formatRate(parseRate(given))).toBe(shown);
  });

  test.each(['8.87500', '1e-7', '', '1,5', 1e-7])('%s › is refused, not rounded', (given) => {
    expect(() => parseRate(given)).toThrow(RangeError);
  });
});

describe('money › rounding', () => {
  test('the product of any two decimals › is exact, rounded half away from zero', () => {
    fc.assert(
      fc.property(hundredths, hundredths, (a, b) => {
        const exact = rounded(times(rational(textOf(a)), rational(textOf(b))));
        expect(textOf(multiply(a, b))).toBe(exact);
      }),
      runs,
    );
  });

  test('any percentage of any amount › is exact, rounded half away from zero', () => {
    const percent = fc.bigInt({ min: 0n, max: 1_000_000n });
    fc.assert(
      fc.property(hundredths, percent, (amount, rate) => {
        const exact = times(times(rational(textOf(amount)), rational(formatRate(rate))), rational('0.01'));
        expect(textOf(percentOf(amount, rate))).toBe(rounded(exact));
      }),
      runs,
    );
  });

  test('exact halves of every size › go away from zero, on both sides alike', () => {
    // amount × 0.50 ends in half a hundredth for every odd number of hundredths
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_HUNDREDTHS / 2n - 1n }), (n) => {
        const odd = 2n * n + 1n;
        expect(multiply(odd, 50n)).toBe(n + 1n);
        expect(multiply(-odd, 50n)).toBe(-(n + 1n));
        expect(percentOf(odd, 500_000n)).toBe(n + 1n);
        expect(percentOf(-odd, 500_000n)).toBe(-(n + 1n));
      }),
      runs,
    );
  });

  test.each([
    [15n, 10n, 2n],
    [14n, 10n, 1n],
    [-15n, 10n, -2n],
    [-14n, 10n, -1n],
    [1n, 50n, 1n],
    [1n, 49n, 0n],
    [-1n, 50n, -1n],
    [-1n, 49n, 0n],
    [MAX_HUNDREDTHS, 100n, MAX_HUNDREDTHS],
  ])('%s × %s hundredths › is %s', (a, b, product) => {
    expect(multiply(a, b)).toBe(product);
  });

  test('the bounds › belong to the range, one hundredth more does not', () => {
    expect([MAX_HUNDREDTHS, -MAX_HUNDREDTHS].map(isWithinBounds)).toEqual([true, true]);
    expect([MAX_HUNDREDTHS + 1n, -MAX_HUNDREDTHS - 1n].map(isWithinBounds)).toEqual([false, false]);
  });
});
