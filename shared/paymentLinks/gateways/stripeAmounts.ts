import { wholeUnits } from './wholeUnits';

/** Currencies whose amounts in the API are whole units (Stripe's documentation, "Currencies", "Zero-decimal currencies"). */
const zeroDecimals: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
);
/**
 * Currencies of whole units that are written with two decimals, which are 00 (the same page, "Special cases"). HUF and TWD are listed there
 * for payouts only.
 */
const wholeWithDecimals: ReadonlySet<string> = new Set(['ISK', 'UGX']);
/** Currencies with three decimals, of which the last must be 0 (the same page, "Three-decimal currencies"). */
const threeDecimals: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '));

/**
 * Returns the total as Stripe can charge it: rounded half up to whole units if Stripe accepts no decimals of the currency, else unchanged.
 * @throws as {@link wholeUnits} does
 */
export function stripeAmount(total: string, currency: string): string {
  const whole = wholeUnits(total);
  return zeroDecimals.has(currency) || wholeWithDecimals.has(currency) ? whole : total;
}

/**
 * Converts an amount of {@link stripeAmount} to the units of Stripe's API: `"12.34"` USD is 1234, `"1234.00"` JPY 1234, `"1.23"` KWD 1230.
 */
export function toStripeUnits(amount: string, currency: string): number {
  const hundredths = Number(amount.replace('.', ''));
  if (zeroDecimals.has(currency)) return hundredths / 100;
  return threeDecimals.has(currency) ? hundredths * 10 : hundredths;
}

/** Converts an amount of Stripe's API to a decimal with two places; a third place is cut off. */
export function fromStripeUnits(units: number, currency: string): string {
  const hundredths = zeroDecimals.has(currency)
    ? BigInt(units) * 100n
    : threeDecimals.has(currency)
      ? BigInt(units) / 10n
      : BigInt(units);
  const digits = String(hundredths).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
