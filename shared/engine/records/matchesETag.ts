/** True where `If-Match` is met: it is `*` or a list of strong entity tags (RFC 9110, 13.1.1) of which one is `etag`; weak ones never match. */
export function matchesETag(ifMatch: string, etag: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return tags.includes('*') || tags.includes(etag);
}
