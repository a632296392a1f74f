import { isDateOnly } from '../../dates/dates';
import { ValidationFailed } from '../errors';
import type { Sorting } from './page';

/** The version of the cursor's format. A cursor of another version is refused. */
const VERSION = 1;
/** Characters of a cursor; one has about 120. */
export const MAX_CURSOR = 250;
/** As MySQL writes a DATETIME(3), without the milliseconds of a whole second, or a DATE. */
const SORT_KEY = /^(\d{4}-\d{2}-\d{2})(?: (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?)?$/;

/** The place of a record in a sorted list. */
export interface Position {
  readonly sortKey: string | number;
  readonly id: number;
}

/** Returns the cursor of the last record that was read. @param list the name of the list, with its company and the parameters of its path */
export function cursorOf(list: string, { sortBy, sortOrder }: Sorting, { sortKey, id }: Position): string {
  return Buffer.from(JSON.stringify([VERSION, list, sortBy, sortOrder, sortKey, id])).toString('base64url');
}

/**
 * Returns the position of a cursor; null for the empty one, which begins.
 * @throws {ValidationFailed} at `cursor` for a cursor of another list, sorting or version, and for any other text.
 */
export function positionOf(cursor: string, list: string, { sortBy, sortOrder }: Sorting): Position | null {
  if (cursor === '') return null;
  const [version, ofList, by, order, key, id] = partsOf(cursor);
  if (version !== VERSION || ofList !== list || !isPosition(by, key, id)) {
    throw ValidationFailed.at('cursor', 'is not a nextCursor of this list: begin with an empty one');
  }
  if (by !== sortBy || order !== sortOrder) {
    throw ValidationFailed.at('cursor', `belongs to sortBy=${String(by)} and sortOrder=${String(order)}`);
  }
  return { sortKey: key as string | number, id: id as number };
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    // Not JSON, so not a cursor of this version.
    return [];
  }
}

function isPosition(by: unknown, key: unknown, id: unknown): boolean {
  if (!Number.isSafeInteger(id) || (id as number) < 1) return false;
  if (by === 'id') return key === id;
  return typeof key === 'string' && isDateOnly(SORT_KEY.exec(key)?.[1] ?? '');
}
