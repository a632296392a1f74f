/** A substring for `LIKE ? ESCAPE '!'`: `%`, `_` and `!` of the search text are ordinary characters. */
export function likePattern(search: string): string {
  return `%${likePrefix(search)}`;
}

/** A beginning for `LIKE ? ESCAPE '!'`, of a text as of {@link likePattern}. */
export function likePrefix(search: string): string {
  return `${search.replace(/[!%_]/g, '!$&')}%`;
}
