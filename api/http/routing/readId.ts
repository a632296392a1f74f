import { BadRequest } from '../../../shared/engine/errors';

/**
 * Returns the integers of a path. An integer that is too large for any record becomes 0, the id of no record.
 * @throws {BadRequest} `invalid_id` for a parameter that is not all digits.
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
