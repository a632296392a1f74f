/** `If-Match`: `*` or a list of strong entity tags (RFC 9110, 13.1.1); weak ones never match. */
export function matchesETag(ifMatch: string, etag: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return tags.includes('*') || tags.includes(etag);
}
