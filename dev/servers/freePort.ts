import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The error code of listening on `host:port` (for example EADDRINUSE, EACCES), or the port that was bound. */
function tryPort(port: number, host: string): Promise<number | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/** Below the ports that systems give to outgoing connections, of which any may begin before the caller listens. */
const PORTS = { from: 20_000, to: 32_000 };
const TRIES = 50;

/** Returns a random TCP port of the loopback interface that nobody listens on now. @throws {Error} when none is found. */
export async function freePort(): Promise<number> {
  let problem: number | string = '';
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to);
    problem = await tryPort(port, '127.0.0.1');
    if (problem === port) return port;
  }
  throw new Error(`no port of 127.0.0.1 can be bound: ${problem}`);
}

/** Why `host:port` cannot be listened on (`EADDRINUSE`, `EACCES`, …); undefined when it can. */
export async function whyPortIsTaken(port: number, host: string): Promise<string | undefined> {
  const outcome = await tryPort(port, host);
  return typeof outcome === 'string' ? outcome : undefined;
}
