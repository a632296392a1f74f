import { hash } from 'node:crypto';

/**
 * Returns the identity of a request under an Idempotency-Key: a hash of its method, path and body as a JSON value (the order of
 * keys does not matter). The body of an upload is the hash of its file. The body is validated before, so its depth is bounded.
 */
export function requestHash(method: string, path: string, body: unknown): string {
  return hash('sha256', `${method} ${path}\n${canonical(body)}`, 'hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
