/** A substring for `LIKE ? ESCAPE '!'`: `%`, `_` and `!` of the search text are ordinary characters. */
export function likePattern(search: string): string {
  return `%${search.replace(/[!%_]/g, '!$&')}%`;
}
