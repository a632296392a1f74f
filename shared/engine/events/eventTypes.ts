import { EVENT_TYPE_PATTERN, oneLine } from '../schemas';

/** The most patterns of one request or endpoint. */
export const MAX_TYPE_PATTERNS = 50;

/** A pattern of types in requests. */
export const typePattern = oneLine(100, 'line', { pattern: EVENT_TYPE_PATTERN.source, examples: ['invoice.*'] });

/** Tests whether one of the patterns matches `type`. */
export function isOneOfTypes(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}
