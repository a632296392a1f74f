import { wholeUnits } from './wholeUnits';

/** Stripe's documentation, "Currencies", "Zero-decimal currencies": an amount of the API is whole units. */
const zeroDecimals: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
);
/** The same, "Special cases": whole units too, but written with two decimals, which are 00. HUF and TWD are so for payouts alone. */
const wholeWithDecimals: ReadonlySet<string> = new Set(['ISK', 'UGX']);
/** The same, "Three-decimal currencies": the last digit must be 0, as it is of an amount with two decimals. */
const threeDecimals: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '));

/** The total as Stripe can charge it: whole units, rounded half up, where it takes no decimals; unchanged elsewhere. @throws as {@link wholeUnits} does */
export function stripeAmount(total: string, currency: string): string {
  const whole = wholeUnits(total);
  return zeroDecimals.has(currency) || wholeWithDecimals.has(currency) ? whole : total;
}

/** An amount of {@link stripeAmount} in the units of Stripe's API: `"12.34"` USD is 1234, `"1234.00"` JPY 1234, `"1.23"` KWD 1230. */
export function toStripeUnits(amount: string, currency: string): number {
  const hundredths = Number(amount.replace('.', ''));
  if (zeroDecimals.has(currency)) return hundredths / 100;
  return threeDecimals.has(currency) ? hundredths * 10 : hundredths;
}

/** An amount of Stripe's API as a decimal with two places; a third place is cut off. */
export function fromStripeUnits(units: number, currency: string): string {
  const hundredths = zeroDecimals.has(currency)
    ? BigInt(units) * 100n
    : threeDecimals.has(currency)
      ? BigInt(units) / 10n
      : BigInt(units);
  const digits = String(hundredths).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
