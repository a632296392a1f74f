import { formatDecimal, type Hundredths, multiply, parseDecimal } from '../money/money';

/** An item of an invoice: decimals with two places. */
export interface CreditableItem {
  id: number;
  description: string;
  quantity: string;
  unitPrice: string;
}

/** The sums of an invoice's existing credit notes. */
export interface Credited {
  subtotal: Hundredths;
  tax: Hundredths;
  /** The credited quantity and amount of each item of the invoice, by its id. */
  items: ReadonlyMap<number, CreditedItem>;
}

export interface CreditedItem {
  quantity: Hundredths;
  amount: Hundredths;
}

/** An item of a credit note; `itemId` is null for an amount that belongs to no item of the invoice. */
export interface CreditLine {
  itemId: number | null;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
}

const nothing: CreditedItem = { quantity: 0n, amount: 0n };

/** Returns how much of an item is not credited yet: a quantity, 0 or above. */
export function quantityLeft({ id, quantity }: CreditableItem, { items }: Pick<Credited, 'items'>): Hundredths {
  return parseDecimal(quantity) - (items.get(id) ?? nothing).quantity;
}

/**
 * Returns the line that credits a quantity of an item. Its amount is cumulative: the rounded price of the whole credited quantity, less the
 * amount credited before. So the parts of an item sum up to exactly its amount.
 * @param quantity not above {@link quantityLeft}
 */
export function lineOf(item: CreditableItem, quantity: Hundredths, before: CreditedItem = nothing): CreditLine {
  const amount = multiply(before.quantity + quantity, parseDecimal(item.unitPrice)) - before.amount;
  const { id: itemId, description, unitPrice } = item;
  return { itemId, description, quantity: formatDecimal(quantity), unitPrice, amount: formatDecimal(amount) };
}

/** Returns the line of an amount that belongs to no item. */
export function freeLine(description: string, amount: string): CreditLine {
  return { itemId: null, description, quantity: '1.00', unitPrice: amount, amount };
}

/**
 * Returns the lines that credit everything that is left: the rest of each item, or a single amount if the rests are more than `left`
 * because of credits without an item.
 * @param left of the invoice's subtotal
 */
export function everythingLeft(
  items: readonly CreditableItem[],
  credited: Credited,
  left: Hundredths,
  reason: string,
): CreditLine[] {
  const lines = items.flatMap((item) => {
    const quantity = quantityLeft(item, credited);
    return quantity === 0n ? [] : [lineOf(item, quantity, credited.items.get(item.id))];
  });
  return sumOf(lines) === left ? lines : [freeLine(reason, formatDecimal(left))];
}

/** Returns the sum of the lines' amounts. */
export function sumOf(lines: readonly Pick<CreditLine, 'amount'>[]): Hundredths {
  return lines.reduce((sum, { amount }) => sum + parseDecimal(amount), 0n);
}

/**
 * Returns the tax of a credit note. It is cumulative: the share of the invoice's tax for the whole credited subtotal, rounded half up, less
 * the tax credited before. So the note that credits the rest credits exactly the rest of the tax.
 */
export function taxOf(
  invoice: { subtotal: Hundredths; tax: Hundredths },
  credited: Pick<Credited, 'subtotal' | 'tax'>,
  subtotal: Hundredths,
): Hundredths {
  const share = invoice.tax * (credited.subtotal + subtotal);
  return (2n * share + invoice.subtotal) / (2n * invoice.subtotal) - credited.tax;
}
