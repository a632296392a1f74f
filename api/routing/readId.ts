import { BadRequest } from '../../shared/errors';

/**
 * The integers of a path. One too large for any record is 0, which no record has: it is "not found" like any other.
 * @throws {BadRequest} `invalid_id` when one is not all digits.
 */
export function readId(params: Record<string, string>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(params).map(([name, text]) => {
      if (!/^\d+$/.test(text)) throw new BadRequest('invalid_id', `${name} in the path must be a positive integer`);
      const value = Number(text);
      return [name, Number.isSafeInteger(value) ? value : 0];
    }),
  );
}
