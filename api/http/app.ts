import Koa from 'koa';
import type { Services } from '../../shared/services';
import { ApiKeys } from '../apiKeys/ApiKeys';
import { openLimits } from './limits/Limits';
import { OpenResponses } from './limits/OpenResponses';
import { authenticate } from './middleware/authenticate';
import { cors } from './middleware/cors';
import { errors } from './middleware/errors';
import { expectation } from './middleware/expectation';
import { headerLengths } from './middleware/headerLengths';
import { hostHeader } from './middleware/hostHeader';
import { logRequests } from './middleware/logRequests';
import { measureRequests } from './middleware/measureRequests';
import { noStore } from './middleware/noStore';
import { only } from './middleware/only';
import { rateLimit } from './middleware/rateLimit';
import { requestId } from './middleware/requestId';
import { isTracing } from '../../shared/engine/trace';
import { securityHeaders } from './middleware/securityHeaders';
import { traceRequests } from './middleware/traceRequests';
import { turns } from './middleware/turns';
import { unreadBody } from './middleware/unreadBody';
import { watchResponses } from './middleware/watchResponses';
import { publicRoutes } from './publicRoutes';
import { mountRoutes } from './routing/mountRoutes';
import type { Route } from './routing/Route';
import { routes } from '../routes';

export interface AppOptions {
  /**
   * Aborted when the process stops. The app is then not ready, and after half of `SHUTDOWN_TIMEOUT_MS` no request waits any
   * more.
   */
  stopping?: AbortSignal;
  /** Milliseconds after which a client that reads nothing of its response is cut off; for tests. */
  stalledAfterMs?: number;
  /** The table of operations; for tests. */
  routes?: readonly Route[];
}

/** Creates the HTTP API as a Koa app that does not listen yet. */
export function createApp(services: Services, options: AppOptions = {}): Koa {
  const { config, log } = services;
  const { stopping = new AbortController().signal, routes: table = routes } = options;
  const open = new OpenResponses(config.limits.responseBytes, log, options);
  const limits = openLimits(config);
  stopping.addEventListener('abort', () => {
    const endWaiting = (): void => {
      services.jobEndHints.endWaiting();
      services.feedWaits.endWaiting();
      limits.requests.refuseWaiting();
    };
    setTimeout(endWaiting, config.shutdownTimeoutMs / 2).unref();
  });
  services.feedWaits.listen();
  const app = new Koa({ proxy: config.trustProxy, maxIpsCount: 1 });
  app.on('error', (error: Error) => log.debug({ err: error }, 'a response could not be sent'));
  app.use(watchResponses(open));
  app.use(measureRequests);
  app.use(requestId);
  if (isTracing()) app.use(traceRequests);
  app.use(logRequests(log, config.logRequests));
  app.use(unreadBody);
  app.use(errors(log));
  app.use(turns(limits));
  app.use(headerLengths);
  app.use(hostHeader);
  app.use(expectation);
  app.use(securityHeaders);
  if (config.corsOrigins.length > 0) app.use(cors(config.corsOrigins));
  app.use(only('/api', noStore));
  app.use(only('/api', authenticate(new ApiKeys(services), services.clock)));
  if (config.rateLimitPerSecond > 0) {
    app.use(only('/api', rateLimit(config.rateLimitPerSecond, services.queues.redis, config.redisPrefix)));
  }
  app.use(only('/api', mountRoutes({ services, limits, open }, table)));
  app.use(publicRoutes({ services, limits, open }, stopping));
  return app;
}
