/**
 * Returns how many milliseconds a provider wants to be left alone: seconds, seconds since 1970, or a date (RFC 9110, 10.2.3).
 * May be negative or years: `ProviderRateLimit` bounds it. Null when it does not say.
 */
export function retryAfterMs(header: unknown): number | null {
  const text = typeof header === 'number' ? String(header) : header;
  if (typeof text !== 'string' || text.trim() === '') return null;
  const [seconds, now] = [Number(text), Date.now()];
  const at = Number.isNaN(seconds) ? Date.parse(text) : seconds > 1e9 ? seconds * 1000 : now + seconds * 1000;
  return Number.isNaN(at) ? null : at - now;
}
