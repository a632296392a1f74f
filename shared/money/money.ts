import currency from 'currency.js';

/**
 * Exact decimals with two places, held as BigInt hundredths ("minor units", whatever the currency). Amounts of money,
 * quantities and percentages all have this form.
 */
export type Hundredths = bigint;

/** 9,999,999,999,999.99: what DECIMAL(15,2) holds, and below 2^53 hundredths, so currency.js is exact in the range. */
export const MAX_HUNDREDTHS: Hundredths = 999_999_999_999_999n;

const DECIMAL = /^-?\d{1,13}(\.\d{1,2})?$/;

/** True for a decimal with at most two places within ±9,999,999,999,999.99. No exponent, no sign `+`, no spaces. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * Reads a decimal as a request or MySQL gives it (`"19.99"`, `19.99`, `"5"`).
 * @throws {RangeError} where {@link isDecimal} is false; nothing is rounded.
 */
export function parseDecimal(value: string | number): Hundredths {
  const text = String(value);
  if (!isDecimal(text)) throw new RangeError(`not a decimal with at most two places: ${text}`);
  return BigInt(currency(text).intValue);
}

/** Two places, always: `123n` is `"1.23"`. Only for values within ±{@link MAX_HUNDREDTHS}. */
export function formatDecimal(value: Hundredths): string {
  return currency(Number(value), { fromCents: true }).toString();
}

/** The product of two decimals, rounded half away from zero to two places. */
export function multiply(a: Hundredths, b: Hundredths): Hundredths {
  return divideRounded(a * b, 100n);
}

/** `rate` per cent of an amount, rounded half away from zero to two places. */
export function percentOf(amount: Hundredths, rate: TenThousandths): Hundredths {
  return divideRounded(amount * rate, 1_000_000n);
}

/** A rate in per cent: {@link TenThousandths} of a percent point. */
export type TenThousandths = bigint;

const RATE = /^-?\d{1,13}(\.\d{1,4})?$/;

/** True for a decimal like those of {@link isDecimal} with up to four places. */
export function isRate(text: string): boolean {
  return RATE.test(text);
}

/**
 * Reads a rate as a request or MySQL gives it (`"8.875"`, `11`).
 * @throws {RangeError} where {@link isRate} is false; nothing is rounded.
 */
export function parseRate(value: string | number): TenThousandths {
  const text = String(value);
  if (!isRate(text)) throw new RangeError(`not a decimal with at most four places: ${text}`);
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(4, '0'));
}

/** Two places, and more only where the rate has them: `8.875`, `11.00`. Only for rates that are not negative. */
export function formatRate(rate: TenThousandths): string {
  const digits = String(rate).padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`;
}

export function isWithinBounds(value: Hundredths): boolean {
  return value <= MAX_HUNDREDTHS && value >= -MAX_HUNDREDTHS;
}

function divideRounded(numerator: bigint, divisor: bigint): bigint {
  const half = divisor / 2n;
  return numerator >= 0n ? (numerator + half) / divisor : -((-numerator + half) / divisor);
}
