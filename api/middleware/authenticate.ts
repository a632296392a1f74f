import type { Middleware } from 'koa';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { includesScope, type Scope } from '../../shared/domain/statuses';
import { ScopeMissing, Unauthorized } from '../../shared/errors';
import type { ApiKeys } from '../apiKeys';
import { tooManyRequests } from './rateLimit';

/** Any printable characters: an installation may choose its own token. */
const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
/** Wrong keys of one address in a minute; a valid key is never refused for them. */
const FAILURES_A_MINUTE = 300;

/**
 * Finds the company of the request's API key and checks the scope that its method and path need.
 * @throws {Unauthorized}, {@link ScopeMissing}, 429 for an address that keeps trying wrong keys.
 */
export function authenticate(keys: ApiKeys): Middleware {
  const failures = new RateLimiterMemory({ points: FAILURES_A_MINUTE, duration: 60 });
  return async (ctx, next) => {
    const token = BEARER.exec(ctx.get('Authorization'))?.[1];
    const key = token === undefined ? null : await keys.find(token);
    if (key === null) {
      const spent = await failures.consume(ctx.ip).then(
        () => null,
        (refusal: { msBeforeNext: number }) => refusal,
      );
      throw spent === null ? new Unauthorized() : tooManyRequests(spent.msBeforeNext);
    }
    const needed = neededScope(ctx.method, ctx.path);
    if (!includesScope(key.scopes, needed)) throw new ScopeMissing(needed);
    ctx.state.companyId = key.companyId;
    ctx.state.keyId = key.id;
    ctx.state.actor = `api-key:${key.id}`;
    await next();
  };
}

function neededScope(method: string, path: string): Scope {
  if (path === '/api/api-keys' || path.startsWith('/api/api-keys/')) return 'admin';
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}
