/**
 * Rounds half up to whole units: `"1050.50"` is `"1051.00"`.
 * @throws {RangeError} when `total` is not a decimal with two places, or is negative
 */
export function wholeUnits(total: string): string {
  const match = /^(\d+)\.(\d)\d$/.exec(total);
  if (!match) throw new RangeError(`"${total}" is not an amount with two decimal places`);
  const [, whole = '0', tenths = '0'] = match;
  return `${BigInt(whole) + (tenths >= '5' ? 1n : 0n)}.00`;
}
