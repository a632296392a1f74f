import { once } from 'node:events';
import { createServer } from 'node:http';
import { QueueSignals } from '../shared/engine/jobs';
import { Pipelines } from '../shared/engine/http';
import { listen } from '../shared/engine/process';
import { collectProcessMetrics } from '../shared/engine/metrics';
import type { Services } from '../shared/services';
import { queueCounters } from '../shared/queueCounters';
import { watchEventLoop } from './watchEventLoop';

const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 100;
/** Clients of this port send one request at a time. */
const PIPELINES = { maxInFlight: 4, maxBytes: 8 * 1024 * 1024 };

/** The open operator port of a process. */
export interface OperatorPort {
  /** Closes the port and its connections. */
  close(): Promise<void>;
}

/**
 * Opens the operator port that is configured. Without one, its pages are not loaded, and the result closes nothing.
 * @throws {ConfigurationError} when the address cannot be listened on.
 */
export async function openOperatorPort(services: Services): Promise<OperatorPort> {
  const { port, host } = services.config.operator;
  if (port === 0) return { close: () => Promise.resolve() };
  const { createOperatorApp } = await import('./app.js');
  collectProcessMetrics();
  const eventLoop = watchEventLoop();
  const app = createOperatorApp({ services, signals: new QueueSignals(services, queueCounters), eventLoop });
  // Without a Host header, Node.js would respond by itself, to any number of pipelined requests.
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, requireHostHeader: false });
  server.maxConnections = MAX_CONNECTIONS;
  const handle = app.callback();
  const pipelines = new Pipelines(PIPELINES);
  server.on('request', (request, response) => {
    // Koa responds to errors itself; its promise never rejects.
    pipelines.serve(request, response, 'operator', () => void handle(request, response));
  });
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
