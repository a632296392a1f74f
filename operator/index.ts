import { once } from 'node:events';
import { createServer } from 'node:http';
import { QueueSignals } from '../shared/kernel/jobs/QueueSignals';
import { listen } from '../shared/kernel/listen';
import { collectProcessMetrics } from '../shared/kernel/metrics';
import type { Services } from '../shared/kernel/services';
import { queueCounters } from '../shared/queueCounters';
import { createOperatorApp } from './app';
import { watchEventLoop } from './watchEventLoop';

const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 100;

/** The open operator port of a process. */
export interface OperatorPort {
  /** Closes the port and its connections. */
  close(): Promise<void>;
}

/**
 * Opens the operator port that is configured. Without one, the result only closes nothing.
 * @throws {ConfigurationError} when the address cannot be listened on.
 */
export async function openOperatorPort(services: Services): Promise<OperatorPort> {
  const { port, host } = services.config.operator;
  if (port === 0) return { close: () => Promise.resolve() };
  collectProcessMetrics();
  const eventLoop = watchEventLoop();
  const app = createOperatorApp({ services, signals: new QueueSignals(services, queueCounters), eventLoop });
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS });
  server.maxConnections = MAX_CONNECTIONS;
  const handle = app.callback();
  // Koa responds to errors itself; its promise never rejects.
  server.on('request', (request, response) => void handle(request, response));
  const variables = { host: 'OPERATOR_HOST', port: 'OPERATOR_PORT' };
  await listen(server, { host, port, variables }).catch((error: unknown) => {
    eventLoop.stop();
    throw error;
  });
  services.log.info({ host, port }, 'the operator port listens');
  return {
    close: async () => {
      eventLoop.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
