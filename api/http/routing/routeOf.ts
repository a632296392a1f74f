import type { Context } from 'koa';

/**
 * Returns the template of the route that serves a request, such as `/api/invoices/{id}`; null for a path that is no route, and for
 * a request that was refused before its route was looked up.
 */
export function routeOf(ctx: Context): string | null {
  // The router leaves the path of the matching route, `/api/invoices/:id`, in the context.
  const matched = (ctx as { _matchedRoute?: unknown })._matchedRoute;
  return typeof matched === 'string' ? matched.replace(/:(\w+)/g, '{$1}') : null;
}
