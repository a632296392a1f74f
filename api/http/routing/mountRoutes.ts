import Router from '@koa/router';
import type { Middleware } from 'koa';
import { Exchange, type Identity, type Means, withChecks } from './Exchange';
import { requireScope, serveRequest } from './requestSteps';
import type { Route } from './Route';
import { serveRouter } from './serveRouter';

/** Serves a table of routes: 404 for an unknown path, 405 for a known path with another method. */
export function mountRoutes(means: Means, routes: readonly Route[]): Middleware {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    const checked = withChecks(route);
    router[route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'](path, (ctx) =>
      serveRequest(new Exchange(ctx, means, checked)),
    );
  }
  // An unknown operation has no scope: one that would change something requires `write`, like all changes.
  return serveRouter(router, ({ method, state }) => {
    const reads = ['GET', 'HEAD', 'OPTIONS'].includes(method);
    requireScope((state as Identity).scopes, reads ? 'read' : 'write');
  });
}
