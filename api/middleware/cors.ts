import type { Middleware } from 'koa';

/** Lets pages of the configured origins call the API (Fetch standard, "CORS protocol"); off with an empty list. */
export function cors(origins: readonly string[]): Middleware {
  return (ctx, next) => {
    const origin = ctx.get('Origin');
    ctx.vary('Origin');
    if (!origins.includes(origin)) return next();
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set(
      'Access-Control-Expose-Headers',
      'Content-Disposition, ETag, Location, Idempotent-Replayed, X-Request-Id, RateLimit, Retry-After',
    );
    if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next();
    ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE');
    ctx.set(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id',
    );
    ctx.set('Access-Control-Max-Age', '600');
    ctx.status = 204;
    return undefined;
  };
}
