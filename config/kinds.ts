import { isEmailAddress } from './emailAddress';
import { trimEndSlashes } from './trimEndSlashes';

/** How the text of a variable becomes a value. */
export interface Kind<T> {
  /** The right values, for the documentation. */
  readonly values: string;
  /**
   * Reads the text. Where a variable has no default, an absent one is the empty text.
   * @throws {RangeError} whose message completes the variable's name: "is not valid; expected true or false".
   */
  readonly read: (text: string) => T;
}

/** Any text. `values` describes it, with an example. */
export const text = (values: string): Kind<string> => ({ values, read: (given) => given });

/** Nothing, or text that the pattern matches. `expected` has an example. */
export function matching(pattern: RegExp, expected: string): Kind<string> {
  return {
    values: expected,
    read: (given) => (given === '' || pattern.test(given) ? given : refuse('is not valid', expected)),
  };
}

/** A whole number; `unit` and `example` are for people. */
export function whole(minimum: number, maximum: number, unit: string, example: number): Kind<number> {
  return {
    values: `${unit}, ${minimum} to ${maximum}`,
    read: (given) => {
      const value = Number(given);
      return /^\d+$/.test(given) && value >= minimum && value <= maximum
        ? value
        : refuse(`is not a whole number from ${minimum} to ${maximum}`, `${unit}, for example ${example}`);
    },
  };
}

/** Returns the kind with its value converted. */
export function converted<T, R>(kind: Kind<T>, convert: (value: T) => R): Kind<R> {
  return { ...kind, read: (given) => convert(kind.read(given)) };
}

/** Bytes, given as a whole number of MiB. */
export const mebibytes = (...range: Parameters<typeof whole>): Kind<number> =>
  converted(whole(...range), (count) => count * 1024 * 1024);

/** The shortest time for which removable records are kept. It is longer than any retry. */
const MIN_KEPT_DAYS = 7;

/** Days for which records are kept: Infinity for 0, which is for ever. */
export const keptDays: Kind<number> = {
  values: `days, 0 for ever, or ${MIN_KEPT_DAYS} to 36500`,
  read: (given) => {
    const days = Number(given);
    if (given === '0') return Infinity;
    return /^\d+$/.test(given) && days >= MIN_KEPT_DAYS && days <= 36_500
      ? days
      : refuse(`is neither 0 nor a whole number from ${MIN_KEPT_DAYS} to 36500`, 'days, for example 730');
  },
};

/** Null for an empty text, else a value of the kind. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return { ...kind, read: (given) => (given === '' ? null : kind.read(given)) };
}

/** One of some words. */
export function oneOf<const T extends string>(words: readonly T[]): Kind<T> {
  const expected = `one of ${words.join(', ')}`;
  return {
    values: expected,
    read: (given) => words.find((word) => word === given) ?? refuse('is not valid', expected),
  };
}

/** `true` or `false`. */
export const flag: Kind<boolean> = {
  values: 'true or false',
  read: (given) => {
    if (given !== 'true' && given !== 'false') refuse('is not valid', flag.values);
    return given === 'true';
  },
};

/** Nothing, or an http(s) URL; slashes at its end are removed. */
export const httpUrl = (example: string): Kind<string> =>
  converted(matching(/^https?:\/\/[^\s/]/, `an http(s) URL, for example ${example}`), trimEndSlashes);

/** Nothing, or an e-mail address. */
export const emailAddress: Kind<string> = {
  values: 'an e-mail address, for example billing@example.com',
  read: (given) => (given === '' || isEmailAddress(given) ? given : refuse('is not valid', emailAddress.values)),
};

/** Words between commas. `values` has an example. */
export const list = (values: string): Kind<readonly string[]> => ({ values, read: splitList });

/** Some of these words, between commas. */
export function someOf<const T extends string>(words: readonly T[]): Kind<readonly T[]> {
  const expected = `a comma-separated choice of ${words.join(', ')}`;
  return converted({ values: expected, read: splitList }, (parts) =>
    parts.map((part) => words.find((word) => word === part) ?? refuse(`names "${part}"`, expected)),
  );
}

/** Returns the parts between commas, without spaces around them. */
export function splitList(given: string): string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A URL that `check` accepts. It is kept as given. */
export function checkedBy(check: (url: string) => unknown, form: string): Kind<string> {
  return {
    values: form,
    read: (given) => {
      check(given);
      return given;
    },
  };
}

function refuse(why: string, expected: string): never {
  throw new RangeError(`${why}; expected ${expected}`);
}
