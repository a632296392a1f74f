import { createHash } from 'node:crypto';
import { BadRequest } from '../../errors';

/** Deeper than anything that a request can mean, and far from the end of the stack. */
const MAX_DEPTH = 100;

/**
 * The identity of a request under an Idempotency-Key: method, path and body as a JSON value (key order means nothing), of an
 * upload the hash of its file.
 * @throws {BadRequest} `malformed_json` for a body that is nested absurdly deep (in a field that is ignored).
 */
export function requestHash(method: string, path: string, body: unknown): string {
  return createHash('sha256')
    .update(`${method} ${path}\n${canonical(body)}`)
    .digest('hex');
}

function canonical(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new BadRequest('malformed_json', 'the body is nested too deep');
  const inside = (inner: unknown): string => canonical(inner, depth + 1);
  if (Array.isArray(value)) return `[${value.map(inside).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${inside(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
