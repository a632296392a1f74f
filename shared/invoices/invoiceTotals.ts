import { ValidationFailed } from '../engine/errors';
import {
  formatDecimal,
  isWithinBounds,
  multiply,
  parseDecimal,
  parseRate,
  percentOf,
  type Hundredths,
} from '../money/money';

export interface TotalsInput {
  /** Percentage, 0 to 100, with up to four decimals. */
  taxRate: string | number;
  items: readonly { quantity: string | number; unitPrice: string | number }[];
}

/** Decimal strings with two places. */
export interface InvoiceTotals {
  amounts: string[];
  subtotal: string;
  tax: string;
  total: string;
}

/**
 * The calculation rules of an invoice: amount = quantity × unitPrice, subtotal = Σ amounts, tax = subtotal × taxRate / 100,
 * total = subtotal + tax. Each amount and the tax (once, on the subtotal) are rounded half away from zero to two places.
 * @throws {ValidationFailed} when a result leaves ±9,999,999,999,999.99 or the subtotal is below 0.
 */
export function invoiceTotals({ taxRate, items }: TotalsInput): InvoiceTotals {
  const amounts = items.map((item, index) => {
    const amount = multiply(parseDecimal(item.quantity), parseDecimal(item.unitPrice));
    return checked(amount, `items/${index}/amount`);
  });
  const subtotal = checked(
    amounts.reduce((sum, amount) => sum + amount, 0n),
    'subtotal',
  );
  if (subtotal < 0n) throw ValidationFailed.at('subtotal', 'must not be below 0');
  const tax = percentOf(subtotal, parseRate(taxRate));
  const total = checked(subtotal + tax, 'total');
  return {
    amounts: amounts.map(formatDecimal),
    subtotal: formatDecimal(subtotal),
    tax: formatDecimal(tax),
    total: formatDecimal(total),
  };
}

function checked(value: Hundredths, path: string): Hundredths {
  if (!isWithinBounds(value)) throw ValidationFailed.at(path, 'must be within ±9,999,999,999,999.99');
  return value;
}
