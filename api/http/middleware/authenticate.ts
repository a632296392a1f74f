import type { IncomingHttpHeaders } from 'node:http';
import type { Middleware } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../shared/engine/clock';
import { AppError } from '../../../shared/engine/errors';
import type { ApiKeys, KnownKey } from '../../apiKeys/ApiKeys';
import type { BoundedRequest } from '../connections/BoundedRequest';
import { clientNetwork } from '../limits/clientNetwork';
import { FailureCounts } from '../limits/FailureCounts';
import { tooManyRequests } from './rateLimit';

/** Accepts any printable characters, because an installation may choose its own token. */
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
/** Wrong keys that one network may send in a minute. */
const FAILURES_A_MINUTE = 300;
const MINUTE_MS = 60_000;
/** Wrong keys from all networks together in a minute. One client may have any number of networks. */
const ALL_FAILURES_A_MINUTE = 3_000;
const ALL = 'all';
/** Networks that have sent a valid key within ten minutes. */
const KNOWN = { max: 10_000, ttl: 10 * MINUTE_MS };

/** Returns the key that a request sends, however its header is written; undefined for none. */
export const apiKeyOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  BEARER.exec(authorization)?.[1];

/**
 * Finds the company and the scopes of the request's API key. Each route checks the scopes.
 * @throws {AppError} 401, and 429 for a network that sends too many wrong keys.
 */
export function authenticate(keys: ApiKeys, clock: Clock): Middleware {
  const find = keyFinder(keys, clock);
  return async (ctx, next) => {
    const token = apiKeyOf(ctx.headers);
    const key = (token === undefined ? null : keys.cached(token)) ?? (await find(ctx.ip, token));
    (ctx.req as BoundedRequest).companyId = key.companyId;
    ctx.state.companyId = key.companyId;
    ctx.state.keyId = key.id;
    ctx.state.scopes = key.scopes;
    ctx.state.actor = `api-key:${key.id}`;
    await next();
  };
}

/**
 * Looks up keys that are not cached. A valid key is never refused because of wrong keys from the same network: over the limit,
 * look-ups are batched, so a valid key takes a little longer and wrong keys cost almost nothing. While all networks together send
 * too many, that holds for every network without a valid key of late. A look-up in progress counts as a failure, otherwise a burst
 * would pass before its first failure is counted.
 */
function keyFinder(keys: ApiKeys, clock: Clock): (ip: string, token: string | undefined) => Promise<KnownKey> {
  const failures = new FailureCounts(FAILURES_A_MINUTE, MINUTE_MS, clock);
  const allFailures = new FailureCounts(ALL_FAILURES_A_MINUTE, MINUTE_MS, clock);
  const known = new LRUCache<string, true>(KNOWN);
  return async (ip, token) => {
    const network = clientNetwork(ip);
    failures.add(network);
    const blockedMs = failures.blockedFor(network);
    if (token === undefined) throw refusal(blockedMs);
    allFailures.add(ALL);
    const thrifty = blockedMs > 0 || (allFailures.blockedFor(ALL) > 0 && !known.has(network));
    const key = await keys.find(token, { thrifty });
    if (key === null) throw refusal(blockedMs);
    failures.takeBack(network);
    allFailures.takeBack(ALL);
    known.set(network, true);
    return key;
  };
}

function refusal(blockedMs: number): AppError {
  if (blockedMs > 0) return tooManyRequests(blockedMs);
  // Never says which of the reasons it was.
  const message = 'a valid API key is required: Authorization: Bearer <API_TOKEN>';
  return new AppError('unauthorized', message, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
}
