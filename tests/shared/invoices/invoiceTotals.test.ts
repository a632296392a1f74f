import fc from 'fast-check';
import { invoiceTotals, type TotalsInput } from '../../../shared/invoices/invoiceTotals';
import { ValidationFailed } from '../../../shared/engine/errors';
import { plus, rational, rounded, times } from '../money/rational';

const runs = { numRuns: 500 };
const decimal = (min: bigint, max: bigint): fc.Arbitrary<string> =>
  fc.bigInt({ min, max }).map((numerator) => rounded({ numerator, denominator: 100n }));
const anyItem = fc.record({ quantity: decimal(1n, 100_000_000n), unitPrice: decimal(-10_000_000n, 10_000_000n) });
const anyInvoice = fc.record({
  taxRate: decimal(0n, 10_000n),
  items: fc.array(anyItem, { minLength: 1, maxLength: 30 }),
});

function expected({ taxRate, items }: TotalsInput): ReturnType<typeof invoiceTotals> {
  const amounts = items.map(({ quantity, unitPrice }) =>
    rounded(times(rational(String(quantity)), rational(String(unitPrice)))),
  );
  const subtotal = amounts.map(rational).reduce(plus, rational('0'));
  const tax = rounded(times(times(subtotal, rational(String(taxRate))), rational('0.01')));
  return { amounts, subtotal: rounded(subtotal), tax, total: rounded(plus(subtotal, rational(tax))) };
}

function problemsOf(input: TotalsInput): unknown {
  try {
    return invoiceTotals(input);
  } catch (error) {
    if (error instanceof ValidationFailed) return error.problems;
    throw error;
  }
}

describe('invoiceTotals', () => {
  test('any items and rate › amounts, subtotal, tax and total › are exact to the hundredth', () => {
    fc.assert(
      fc.property(anyInvoice, (invoice) => {
        const wanted = expected(invoice);
        fc.pre(!wanted.subtotal.startsWith('-'));
        expect(invoiceTotals(invoice)).toEqual(wanted);
      }),
      runs,
    );
  });

  test('any order of the same items › the totals › are the same', () => {
    fc.assert(
      fc.property(anyInvoice, ({ taxRate, items }) => {
        fc.pre(!expected({ taxRate, items }).subtotal.startsWith('-'));
        const { amounts: _forth, ...forth } = invoiceTotals({ taxRate, items });
        const { amounts: _back, ...back } = invoiceTotals({ taxRate, items: [...items].reverse() });
        expect(back).toEqual(forth);
      }),
      runs,
    );
  });

  test('amounts › are rounded one by one, the tax once on the subtotal', () => {
    const item = { quantity: '0.5', unitPrice: '0.01' };
    expect(invoiceTotals({ taxRate: '50', items: [item, item, item] })).toEqual({
      amounts: ['0.01', '0.01', '0.01'],
      subtotal: '0.03',
      tax: '0.02',
      total: '0.05',
    });
  });

  test('numbers and strings › count the same', () => {
    expect(invoiceTotals({ taxRate: 8.25, items: [{ quantity: 3, unitPrice: 19.99 }] })).toEqual(
      invoiceTotals({ taxRate: '8.25', items: [{ quantity: '3.00', unitPrice: '19.99' }] }),
    );
  });

  test('a discount line › lowers the subtotal, down to zero and no further', () => {
    const work = { quantity: '1', unitPrice: '100.00' };
    expect(invoiceTotals({ taxRate: 10, items: [work, { quantity: '1', unitPrice: '-100.00' }] })).toEqual({
      amounts: ['100.00', '-100.00'],
      subtotal: '0.00',
      tax: '0.00',
      total: '0.00',
    });
    expect(problemsOf({ taxRate: 10, items: [work, { quantity: '1', unitPrice: '-100.01' }] })).toEqual([
      { path: 'subtotal', message: 'must not be below 0' },
    ]);
  });

  test('the discount before the work › the sum in between is below zero › is accepted', () => {
    const items = [
      { quantity: '1', unitPrice: '-5.00' },
      { quantity: '1', unitPrice: '5.00' },
    ];
    expect(invoiceTotals({ taxRate: 0, items }).subtotal).toBe('0.00');
  });

  test.each([
    [
      'items/1/amount',
      0,
      [
        ['1', '1'],
        ['2', '5000000000000.00'],
      ],
    ],
    ['items/0/amount', 0, [['9999999999999.99', '9999999999999.99']]],
    ['items/0/amount', 0, [['2', '-5000000000000.00']]],
    [
      'subtotal',
      0,
      [
        ['1', '9999999999999.99'],
        ['1', '0.01'],
      ],
    ],
    ['total', 0.01, [['1', '9999999999999.99']]],
    ['total', 100, [['1', '5000000000000.00']]],
  ])('a result beyond 9,999,999,999,999.99 › is refused, naming %s', (path, taxRate, lines) => {
    const items = lines.map(([quantity = '', unitPrice = '']) => ({ quantity, unitPrice }));
    expect(problemsOf({ taxRate, items })).toEqual([{ path, message: 'must be within ±9,999,999,999,999.99' }]);
  });

  test('results of exactly 9,999,999,999,999.99 › are accepted', () => {
    expect(invoiceTotals({ taxRate: 0, items: [{ quantity: '1', unitPrice: '9999999999999.99' }] })).toEqual({
      amounts: ['9999999999999.99'],
      subtotal: '9999999999999.99',
      tax: '0.00',
      total: '9999999999999.99',
    });
  });
});
