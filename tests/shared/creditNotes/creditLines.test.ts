import fc from 'fast-check';
import {
  type CreditableItem,
  type Credited,
  type CreditedItem,
  type CreditLine,
  everythingLeft,
  freeLine,
  lineOf,
  quantityLeft,
  sumOf,
  taxOf,
} from '../../../shared/creditNotes/creditLines';
import { invoiceTotals } from '../../../shared/invoices/invoiceTotals';
import { formatDecimal, parseDecimal } from '../../../shared/money/money';

/** Rounds a fraction of two whole numbers half away from zero: other arithmetic than the service's. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const [sign, size] = numerator < 0n ? [-1n, -numerator] : [1n, numerator];
  const whole = size / denominator;
  return sign * (2n * (size - whole * denominator) >= denominator ? whole + 1n : whole);
}

const hundredths = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((value) => formatDecimal(BigInt(value)));
const item = fc.record({ quantity: hundredths(1, 100_000), unitPrice: hundredths(-20_000, 1_000_000) });
const invoice = fc
  .record({ items: fc.array(item, { minLength: 1, maxLength: 6 }), taxRate: fc.constantFrom(0, 8.25, 8.875, 11, 19) })
  .map(({ items, taxRate }) => {
    const creditable: CreditableItem[] = items.map((one, id) => ({ id, description: `Item ${id}`, ...one }));
    const amounts = items.map(({ quantity, unitPrice }) =>
      rounded(parseDecimal(quantity) * parseDecimal(unitPrice), 100n),
    );
    return { items: creditable, taxRate, amounts, subtotal: amounts.reduce((sum, amount) => sum + amount, 0n) };
  })
  .filter(({ subtotal }) => subtotal > 0n);

/** Credits one part after the other, as far as each fits, and then everything that is left. */
function creditInParts(
  { items, taxRate, subtotal }: { items: CreditableItem[]; taxRate: number; subtotal: bigint },
  parts: readonly { of: number; share: number; isFree: boolean }[],
): { lines: CreditLine[]; taxes: bigint[]; tax: bigint; isRestWorthNothing: boolean } {
  const tax = parseDecimal(invoiceTotals({ taxRate, items }).tax);
  const all: CreditLine[] = [];
  const taxes: bigint[] = [];
  const of = new Map<number, CreditedItem>();
  const credited: Credited & { subtotal: bigint; tax: bigint } = { subtotal: 0n, tax: 0n, items: of };
  const issue = (lines: readonly CreditLine[]): void => {
    const sum = sumOf(lines);
    if (sum <= 0n || credited.subtotal + sum > subtotal) return;
    const taxed = taxOf({ subtotal, tax }, credited, sum);
    for (const { itemId, quantity, amount } of lines) {
      if (itemId === null) continue;
      const before = of.get(itemId) ?? { quantity: 0n, amount: 0n };
      of.set(itemId, {
        quantity: before.quantity + parseDecimal(quantity),
        amount: before.amount + parseDecimal(amount),
      });
    }
    credited.subtotal += sum;
    credited.tax += taxed;
    all.push(...lines);
    taxes.push(taxed);
  };
  for (const { of: index, share, isFree } of parts) {
    const left = subtotal - credited.subtotal;
    const one = items[index % items.length] as CreditableItem;
    const quantity = (quantityLeft(one, credited) * BigInt(share)) / 100n;
    const amount = (left * BigInt(share)) / 100n;
    if (isFree && amount > 0n) issue([freeLine('Goodwill', formatDecimal(amount))]);
    else if (!isFree && quantity > 0n) issue([lineOf(one, quantity, of.get(one.id))]);
  }
  const left = subtotal - credited.subtotal;
  if (left > 0n) issue(everythingLeft(items, credited, left, 'The rest'));
  const isRestWorthNothing = left === 0n && items.some((item) => quantityLeft(item, credited) > 0n);
  return { lines: all, taxes, tax, isRestWorthNothing };
}

const part = fc.record({
  of: fc.nat(5),
  share: fc.integer({ min: 1, max: 100 }),
  isFree: fc.boolean(),
});

test('credit notes › in whatever parts › sum up to the subtotal and the tax of the invoice, to the cent', () => {
  fc.assert(
    fc.property(invoice, fc.array(part, { maxLength: 12 }), (of, parts) => {
      const { lines, taxes, tax } = creditInParts(of, parts);
      expect(lines.reduce((sum, { amount }) => sum + parseDecimal(amount), 0n)).toBe(of.subtotal);
      expect(taxes.reduce((sum, one) => sum + one, 0n)).toBe(tax);
      expect(taxes.filter((one) => one < 0n)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('credit notes › of items alone › give back each item its amount', () => {
  fc.assert(
    fc.property(invoice, fc.array(part, { maxLength: 12 }), (of, parts) => {
      const { lines, isRestWorthNothing } = creditInParts(
        of,
        parts.map((one) => ({ ...one, isFree: false })),
      );
      // Where an item has a negative price, what is left of the others may be worth nothing together, and is then no credit note.
      if (isRestWorthNothing) return;
      const byItem = of.items.map(({ id }) =>
        lines.reduce((sum, { itemId, amount }) => (itemId === id ? sum + parseDecimal(amount) : sum), 0n),
      );
      expect(byItem).toEqual(of.amounts);
    }),
    { numRuns: 500 },
  );
});

test('a third of 0.01 of tax › is credited with the last note, not three times', () => {
  const invoiceOf = { subtotal: 3n, tax: 1n };
  const taxes = [0n, 1n, 2n].map((subtotal) => taxOf(invoiceOf, { subtotal, tax: subtotal < 2n ? 0n : 1n }, 1n));
  expect(taxes).toEqual([0n, 1n, 0n]);
});
