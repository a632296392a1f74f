import type { Middleware } from 'koa';
import type { Clock } from '../../shared/clock';
import { includesScope, type Scope } from '../../shared/domain/statuses';
import { ScopeMissing, Unauthorized } from '../../shared/errors';
import type { ApiKeys, KnownKey } from '../apiKeys/ApiKeys';
import { clientNetwork } from '../limits/clientNetwork';
import { FailureCounts } from '../limits/FailureCounts';
import { tooManyRequests } from './rateLimit';

/** Any printable characters: an installation may choose its own token. */
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
/** Wrong keys of one network in a minute. */
const FAILURES_A_MINUTE = 300;
const MINUTE_MS = 60_000;

/**
 * Finds the company of the request's API key and checks the scope that its method and path need.
 * @throws {Unauthorized}, {@link ScopeMissing}, 429 for a network that keeps trying wrong keys.
 */
export function authenticate(keys: ApiKeys, clock: Clock): Middleware {
  const find = keyFinder(keys, clock);
  return async (ctx, next) => {
    const token = BEARER.exec(ctx.get('Authorization'))?.[1];
    const key = (token === undefined ? null : keys.cached(token)) ?? (await find(ctx.ip, token));
    const needed = neededScope(ctx.method, ctx.path);
    if (!includesScope(key.scopes, needed)) throw new ScopeMissing(needed);
    ctx.state.companyId = key.companyId;
    ctx.state.keyId = key.id;
    ctx.state.actor = `api-key:${key.id}`;
    await next();
  };
}

/**
 * Looks keys up that are not cached. A valid key is never refused for the wrong ones of the same network: over the limit its
 * look-up goes together with those of all other tokens that are tried, so it takes a little longer, and the wrong ones cost
 * next to nothing. A look-up counts as a failure while it is in progress, else a burst would be let through before its first
 * failure was counted.
 */
function keyFinder(keys: ApiKeys, clock: Clock): (ip: string, token: string | undefined) => Promise<KnownKey> {
  const failures = new FailureCounts(FAILURES_A_MINUTE, MINUTE_MS);
  const now = (): number => clock.now().getTime();
  return async (ip, token) => {
    const network = clientNetwork(ip);
    failures.add(network, now());
    const blockedMs = failures.blockedFor(network, now());
    const key = token === undefined ? null : await keys.find(token, { thrifty: blockedMs > 0 });
    if (key === null) throw blockedMs > 0 ? tooManyRequests(blockedMs) : new Unauthorized();
    failures.takeBack(network, now());
    return key;
  };
}

function neededScope(method: string, path: string): Scope {
  if (path === '/api/api-keys' || path.startsWith('/api/api-keys/')) return 'admin';
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}
