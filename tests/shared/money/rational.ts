/**
 * An oracle that shares nothing with the code under test: exact fractions of BigInt, read from the text of a decimal, and
 * rounded by comparing remainders.
 */
export interface Rational {
  numerator: bigint;
  denominator: bigint;
}

export function rational(text: string): Rational {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const magnitude = BigInt(whole + fraction);
  return { numerator: sign === '-' ? -magnitude : magnitude, denominator: 10n ** BigInt(fraction.length) };
}

export function times(a: Rational, b: Rational): Rational {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

export function plus(a: Rational, b: Rational): Rational {
  return {
    numerator: a.numerator * b.denominator + b.numerator * a.denominator,
    denominator: a.denominator * b.denominator,
  };
}

/** Two places, half away from zero. */
export function rounded({ numerator, denominator }: Rational): string {
  const negative = numerator < 0n;
  const scaled = (negative ? -numerator : numerator) * 100n;
  let hundredths = scaled / denominator;
  if ((scaled % denominator) * 2n >= denominator) hundredths += 1n;
  const digits = hundredths.toString().padStart(3, '0');
  return `${negative && hundredths > 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
