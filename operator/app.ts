import Koa, { type Middleware } from 'koa';
import { boardPath, createBoard } from './board';
import { metricsPage } from './metricsPage';
import { ownHostsOnly } from './middleware/ownHostsOnly';
import { ownPagesOnly } from './middleware/ownPagesOnly';
import { requireToken } from './middleware/requireToken';
import type { OperatorContext } from './OperatorContext';
import { queuesPage } from './queuesPage';

/** Creates the app of the operator port. It does not listen yet. */
export function createOperatorApp(context: OperatorContext): Koa {
  const { config, log } = context.services;
  const app = new Koa();
  app.on('error', (error: Error) => log.warn({ err: error }, 'a request of the operator port failed'));
  app.use(ownPagesOnly);
  app.use(ownHostsOnly(config.operator));
  app.use(requireToken(config.operator.token));
  app.use(below('/metrics', metricsPage(context)));
  app.use(below('/queues', queuesPage(context)));
  app.use(below(boardPath, createBoard(context)));
  return app;
}

/** Serves `path` and what is below `path/`. */
function below(path: string, handle: Middleware): Middleware {
  return async (ctx, next) => {
    if (ctx.path === path || ctx.path.startsWith(`${path}/`)) await handle(ctx, next);
    else await next();
  };
}
