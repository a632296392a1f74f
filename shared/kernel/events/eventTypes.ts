import { oneLine } from '../schemas/fields';

/** `invoice.paid`, `invoice.*` (which includes `invoice.payment_link.created`), `*`. */
export const TYPE_PATTERN = /^(?:\*|[a-z_]{1,32}(?:\.[a-z_]{1,32}){0,3}(?:\.\*)?)$/u;

/** The most patterns of one request or endpoint. */
export const MAX_TYPE_PATTERNS = 50;

/** A pattern of types in requests. */
export const typePattern = oneLine(100, 'line', { pattern: TYPE_PATTERN.source, examples: ['invoice.*'] });

/** Whether an event of `type` is one of those that the patterns name. */
export function isOneOfTypes(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}
