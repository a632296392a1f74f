import type { Context } from 'koa';

/** Routes in the form of the API's documentation, by their form in the router. */
const templates = new Map<string, string>();

/**
 * Returns the template of the route that serves a request, such as `/api/invoices/{id}`; null for a path that is no route, and for
 * a request that was refused before its route was looked up.
 */
export function routeOf(ctx: Context): string | null {
  // The router leaves the path of the matching route, `/api/invoices/:id`, in the context.
  const matched = (ctx as { _matchedRoute?: unknown })._matchedRoute;
  if (typeof matched !== 'string') return null;
  let template = templates.get(matched);
  if (template === undefined) templates.set(matched, (template = matched.replace(/:(\w+)/g, '{$1}')));
  return template;
}
