import { type FieldProblem, MAX_PROBLEMS } from '../errors';
import { shortened } from './lengths';

/** Longer names are not compared: the time would grow with the sender's text. */
const COMPARED_CHARACTERS = 40;

/** Returns a problem for each parameter that is not known, with the known name that it resembles most. */
export function unknownParameters(known: readonly string[], given: readonly string[]): FieldProblem[] {
  return given
    .filter((name) => !known.includes(name))
    .slice(0, MAX_PROBLEMS)
    .map((name) => ({ path: shortened(name), message: `is not a known parameter. ${knownHint(known, name)}` }));
}

/** Returns a hint: the known name that resembles a name most, or all known names. */
export function knownHint(known: readonly string[], name: string): string {
  if (known.length === 0) return 'This operation takes none';
  const nearest = nearestName(known, name);
  return nearest === null ? `Known are ${known.join(', ')}` : `Did you mean ${nearest}?`;
}

/** Returns the name with the fewest letters to change: `statuss` and `client_id` find `status` and `clientId`. */
function nearestName(known: readonly string[], name: string): string | null {
  if (name.length > COMPARED_CHARACTERS) return null;
  const plain = plainOf(name);
  const rated = known.map((other) => ({ other, distance: distanceOf(plain, plainOf(other)) }));
  const [nearest] = rated.sort((a, b) => a.distance - b.distance);
  if (nearest !== undefined && 2 * nearest.distance <= Math.max(plain.length, nearest.other.length))
    return nearest.other;
  return known.find((other) => plain.length > 1 && plainOf(other).includes(plain)) ?? null;
}

const plainOf = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** The edit distance of Levenshtein: letters to insert, remove or replace. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = (row[column] ?? 0) + (letter === other[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
