import { createServer, type Server } from 'node:http';
import type { DatabaseClock } from '../../shared/engine/db';
import { listen } from '../../shared/engine/process';

/**
 * `/healthz` (the process responds) and `/readyz` (it can take jobs) for an orchestrator, on a port of its own.
 * @throws {ConfigurationError} when the port cannot be listened on.
 */
export async function serveHealth(
  port: number,
  host: string,
  isReady: () => Promise<boolean>,
  clock: Pick<DatabaseClock, 'offsetMs'>,
): Promise<Server> {
  const server = createServer((request, response) => {
    const respond = (status: number, text: string, details: object = {}): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ status: text, ...details }));
    };
    if (request.url === '/healthz') return respond(200, 'alive');
    if (request.url !== '/readyz') return respond(404, 'not found');
    isReady().then(
      (ready) => respond(ready ? 200 : 503, ready ? 'ready' : 'not ready', { clockOffsetMs: clock.offsetMs }),
      () => respond(503, 'not ready'),
    );
  });
  await listen(server, { host, port, variables: { host: 'HOST', port: 'WORKER_HEALTH_PORT' } });
  return server;
}
