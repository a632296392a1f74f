/** Tests `If-Match` (RFC 9110, 13.1.1): `*` or a list of strong entity tags that contains `etag`. Weak ones never match. */
export function matchesETag(ifMatch: string, etag: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return tags.includes('*') || tags.includes(etag);
}
