import Koa from 'koa';
import helmet from 'koa-helmet';
import type { Services } from '../shared/services';
import { ApiKeys } from './apiKeys';
import { authenticate } from './middleware/authenticate';
import { cors } from './middleware/cors';
import { errors } from './middleware/errors';
import { only } from './middleware/only';
import { rateLimit } from './middleware/rateLimit';
import { requestId } from './middleware/requestId';
import { publicRoutes } from './public';
import { mountRoutes } from './routing/mountRoutes';
import { routes } from './routes';

/** The HTTP API as a Koa app that does not listen yet. */
export function createApp(services: Services): Koa {
  const { config, log } = services;
  const app = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
  app.on('error', (error: Error) => log.debug({ err: error }, 'a response could not be sent'));
  app.use(requestId);
  app.use(errors(log));
  app.use(helmet());
  if (config.corsOrigins.length > 0) app.use(cors(config.corsOrigins));
  app.use(publicRoutes(services));
  app.use(only('/api', authenticate(new ApiKeys(services))));
  if (config.rateLimitPerSecond > 0) {
    app.use(only('/api', rateLimit(config.rateLimitPerSecond, services.queues.redis, config.redisPrefix)));
  }
  app.use(mountRoutes(services, routes));
  return app;
}
