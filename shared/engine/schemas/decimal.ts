import { _ } from 'ajv';
import type Ajv from 'ajv/dist/2020';
import { isDecimal, parseDecimal, type Hundredths } from '../../money/money';

/** Bounds of a decimal with at most two places, as decimal strings. */
export interface DecimalBounds {
  above?: string;
  atLeast?: string;
  atMost?: string;
}

type Problem = (value: string | number) => string | null;

/**
 * Adds the keyword `decimal`. `multipleOf: 0.01` computes in binary and refuses 19.99; this looks at the digits. The error's
 * `params` are what {@link decimalProblem} makes the message of.
 */
export function addDecimalKeyword(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'decimal',
    type: ['number', 'string'],
    schemaType: 'object',
    compile: (bounds: DecimalBounds) => {
      const problem = decimalProblem(bounds);
      return (value: string | number) => problem(value) === null;
    },
    // With errors of its own, ajv would copy all errors so far for each one that is added.
    errors: false,
    error: {
      message: 'is not such a decimal',
      params: ({ data, schemaValue }) => _`{ value: ${data}, bounds: ${schemaValue} }`,
    },
  });
}

const NOT_A_DECIMAL = 'must be a decimal with at most two places, within ±9,999,999,999,999.99';

/** Everything that a value has to be, a sentence each. */
export function decimalRules(bounds: DecimalBounds): string[] {
  return [NOT_A_DECIMAL, ...boundsOf(bounds).map(({ message }) => message)];
}

/** Returns what says of a value what is wrong with it, or null. The bounds are read once. */
export function decimalProblem(decimalBounds: DecimalBounds): Problem {
  const bounds = boundsOf(decimalBounds);
  return (value) => {
    const text = String(value);
    if (!isDecimal(text)) return NOT_A_DECIMAL;
    if (bounds.length === 0) return null;
    const hundredths = parseDecimal(text);
    return bounds.find(({ holds }) => !holds(hundredths))?.message ?? null;
  };
}

interface Bound {
  message: string;
  holds: (value: Hundredths) => boolean;
}

function boundsOf({ above, atLeast, atMost }: DecimalBounds): Bound[] {
  return [
    bound('greater than', above, (value, limit) => value > limit),
    bound('at least', atLeast, (value, limit) => value >= limit),
    bound('at most', atMost, (value, limit) => value <= limit),
  ].filter((one) => one !== null);
}

function bound(
  words: string,
  text: string | undefined,
  holds: (value: Hundredths, limit: Hundredths) => boolean,
): Bound | null {
  if (text === undefined) return null;
  const limit = parseDecimal(text);
  return { message: `must be ${words} ${text}`, holds: (value) => holds(value, limit) };
}
