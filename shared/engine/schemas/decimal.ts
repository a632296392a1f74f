import { _ } from 'ajv';
import type Ajv from 'ajv/dist/2020';
import { isDecimal, isRate, parseRate, type TenThousandths } from '../../money/money';

/** Bounds of a decimal, as decimal strings. */
export interface DecimalBounds {
  above?: string;
  atLeast?: string;
  atMost?: string;
  /** The most decimal places; 2 by default. */
  places?: 4;
}

type Problem = (value: string | number) => string | null;

/**
 * Adds the keyword `decimal`. `multipleOf: 0.01` computes in binary and refuses 19.99; `decimal` checks the digits. {@link decimalProblem}
 * makes the message from the error's `params`.
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

const forms = {
  2: { message: 'must be a decimal with at most two places, within ±9,999,999,999,999.99', isMet: isDecimal },
  4: { message: 'must be a decimal with at most four places', isMet: isRate },
};

export function decimalRules(bounds: DecimalBounds): string[] {
  return [forms[bounds.places ?? 2].message, ...boundsOf(bounds).map(({ message }) => message)];
}

/** Returns a function that returns the problem of a value, or null. The bounds are parsed once. */
export function decimalProblem(decimalBounds: DecimalBounds): Problem {
  const bounds = boundsOf(decimalBounds);
  const form = forms[decimalBounds.places ?? 2];
  return (value) => {
    const text = String(value);
    if (!form.isMet(text)) return form.message;
    if (bounds.length === 0) return null;
    const exact = parseRate(text);
    return bounds.find(({ holds }) => !holds(exact))?.message ?? null;
  };
}

interface Bound {
  message: string;
  holds: (value: TenThousandths) => boolean;
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
  holds: (value: TenThousandths, limit: TenThousandths) => boolean,
): Bound | null {
  if (text === undefined) return null;
  const limit = parseRate(text);
  return { message: `must be ${words} ${text}`, holds: (value) => holds(value, limit) };
}
