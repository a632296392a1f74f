import type { Middleware } from 'koa';
import { metrics } from '../../../shared/engine/metrics';
import { routeOf } from '../routing/routeOf';

/** Stands for a request without a route. */
const NO_ROUTE = 'none';

/** Measures each request until its response is ready to be sent. */
export const measureRequests: Middleware = async (ctx, next) => {
  const started = performance.now();
  await next();
  metrics.httpRequest.observe(
    (performance.now() - started) / 1000,
    ctx.method,
    routeOf(ctx) ?? NO_ROUTE,
    String(ctx.status),
  );
};
