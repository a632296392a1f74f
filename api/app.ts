import Koa from 'koa';
import helmet from 'koa-helmet';
import type { Services } from '../shared/services';
import { ApiKeys } from './apiKeys/ApiKeys';
import { openLimits } from './limits/Limits';
import { OpenResponses } from './limits/OpenResponses';
import { authenticate } from './middleware/authenticate';
import { cors } from './middleware/cors';
import { errors } from './middleware/errors';
import { expectation } from './middleware/expectation';
import { noStore } from './middleware/noStore';
import { only } from './middleware/only';
import { rateLimit } from './middleware/rateLimit';
import { requestId } from './middleware/requestId';
import { unreadBody } from './middleware/unreadBody';
import { watchResponses } from './middleware/watchResponses';
import { publicRoutes } from './public';
import { mountRoutes } from './routing/mountRoutes';
import { routes } from './routes';

export interface AppOptions {
  /** From then on the app is not ready; half of `SHUTDOWN_TIMEOUT_MS` later no request waits any more, for a job or in line. */
  stopping?: AbortSignal;
  /** Milliseconds in which a reader takes nothing of its response, and is then cut off; tests set it. */
  stalledAfterMs?: number;
}

/** The HTTP API as a Koa app that does not listen yet. */
export function createApp(services: Services, options: AppOptions = {}): Koa {
  const { config, log } = services;
  const { stopping = new AbortController().signal } = options;
  const open = new OpenResponses(config.limits.responseBytes, log, options);
  const limits = openLimits(config);
  stopping.addEventListener('abort', () => {
    const endWaiting = (): void => {
      services.endings.endWaiting();
      limits.places.refuseWaiting();
      limits.scans.refuseWaiting();
    };
    setTimeout(endWaiting, config.shutdownTimeoutMs / 2).unref();
  });
  const app = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
  app.on('error', (error: Error) => log.debug({ err: error }, 'a response could not be sent'));
  app.use(watchResponses(open));
  app.use(requestId);
  app.use(unreadBody);
  app.use(errors(log));
  app.use(expectation);
  app.use(helmet());
  if (config.corsOrigins.length > 0) app.use(cors(config.corsOrigins));
  app.use(publicRoutes(services, limits, stopping));
  app.use(only('/api', noStore));
  app.use(only('/api', authenticate(new ApiKeys(services), services.clock)));
  if (config.rateLimitPerSecond > 0) {
    app.use(only('/api', rateLimit(config.rateLimitPerSecond, services.queues.redis, config.redisPrefix)));
  }
  app.use(mountRoutes(services, limits, routes, open));
  return app;
}
