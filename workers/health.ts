import { createServer, type Server } from 'node:http';
import type { DatabaseClock } from '../shared/database/DatabaseClock';

/** `/healthz` (the process answers) and `/readyz` (it can take jobs) for an orchestrator, on a port of its own. */
export function serveHealth(
  port: number,
  host: string,
  isReady: () => Promise<boolean>,
  clock: Pick<DatabaseClock, 'offsetMs'>,
): Server {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, details: object = {}): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ status: text, ...details }));
    };
    if (request.url === '/healthz') return answer(200, 'alive');
    if (request.url !== '/readyz') return answer(404, 'not found');
    isReady().then(
      (ready) => answer(ready ? 200 : 503, ready ? 'ready' : 'not ready', { clockOffsetMs: clock.offsetMs }),
      () => answer(503, 'not ready'),
    );
  });
  return server.listen(port, host);
}
