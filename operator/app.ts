import Koa, { type Middleware } from 'koa';
import { ownHostsOnly } from './middleware/ownHostsOnly';
import { ownPagesOnly } from './middleware/ownPagesOnly';
import { requireToken } from './middleware/requireToken';
import { mounts } from './mounts';
import type { OperatorContext, OperatorMount } from './OperatorMount';

/** Creates the app of the operator port. It does not listen yet. */
export function createOperatorApp(context: OperatorContext): Koa {
  const { config, log } = context.services;
  const app = new Koa();
  app.on('error', (error: Error) => log.warn({ err: error }, 'a request of the operator port failed'));
  app.use(ownPagesOnly);
  app.use(ownHostsOnly(config.operator));
  app.use(requireToken(config.operator.token));
  for (const mount of mounts) app.use(below(mount, context));
  return app;
}

function below({ path, serve }: OperatorMount, context: OperatorContext): Middleware {
  const handle = serve(context);
  return async (ctx, next) => {
    if (ctx.path === path || ctx.path.startsWith(`${path}/`)) await handle(ctx, next);
    else await next();
  };
}
