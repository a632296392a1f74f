import type { Context, Middleware } from 'koa';
import { metrics } from '../../../shared/kernel/metrics';

/** The template of a path that is no route, or of a request that was refused before its route was looked up. */
const NO_ROUTE = 'none';

/** Routes in the form of the API's documentation, by their form in the router. */
const templates = new Map<string, string>();

/** Measures each request until its response is ready to be sent. */
export const measureRequests: Middleware = async (ctx, next) => {
  const started = performance.now();
  await next();
  metrics.httpRequest.observe((performance.now() - started) / 1000, ctx.method, templateOf(ctx), String(ctx.status));
};

/** The router leaves the path of the matching route, `/api/invoices/:id`, in the context. */
function templateOf(ctx: Context): string {
  const matched = (ctx as { _matchedRoute?: unknown })._matchedRoute;
  if (typeof matched !== 'string') return NO_ROUTE;
  let template = templates.get(matched);
  if (template === undefined) templates.set(matched, (template = matched.replace(/:(\w+)/g, '{$1}')));
  return template;
}
