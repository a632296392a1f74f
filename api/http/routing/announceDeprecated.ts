import { LRUCache } from 'lru-cache';
import { metrics } from '../../../shared/engine/metrics';
import type { DeprecatedPart } from '../../../shared/engine/schemas';
import type { Exchange } from './Exchange';

/** A company's use of one operation is logged once in this time: most programs that call it, call it often. */
const LOG_EVERY_MS = 3_600_000;
const logged = new LRUCache<string, true>({ max: 1_000, ttl: LOG_EVERY_MS });

/**
 * Says on the response what of its request is to go: since when (RFC 9745), the day from which it may be gone (RFC 8594), and where
 * it is documented. The operation is counted, and the log says which company uses what.
 */
export function announceDeprecated({ ctx, route, means, identity }: Exchange, used: readonly DeprecatedPart[]): void {
  if (used.length === 0) return;
  const first = (days: string[]): number => Math.min(...days.map((day) => Date.parse(day)));
  const { operationId } = route;
  const { companyId, actor, requestId } = identity;
  const { log, config } = means.services;
  ctx.set('Deprecation', `@${first(used.map(({ deprecation: { since } }) => since)) / 1_000}`);
  ctx.set('Sunset', new Date(first(used.map(({ deprecation: { sunset } }) => sunset))).toUTCString());
  ctx.append('Link', `<${config.publicUrl}/openapi.json>; rel="deprecation"; type="application/json"`);
  metrics.deprecatedRequests.add(operationId);
  const key = `${companyId} ${operationId}`;
  if (logged.has(key)) return;
  logged.set(key, true);
  const parts = used.map(({ path }) => path).filter((path) => path !== '');
  log.info({ operationId, parts, companyId, actor, requestId }, 'what is deprecated was used');
}
