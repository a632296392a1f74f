import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Returns the port that was bound, or the error code (`EADDRINUSE`, `EACCES`, …). */
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

/** Below the ephemeral ports: an outgoing connection may take one of these before the caller listens. */
const PORTS = { from: 20_000, to: 32_000 };
const TRIES = 50;

/** Reserves a number by its UDP port, which nothing else uses, until this process ends. Returns false when it is reserved already. */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      resolve(true);
    });
  });
}

/**
 * Returns a random TCP port of the loopback interface that is free now. Until this process ends no other call returns it, in whichever
 * process: its server may listen later, and may be restarted. @throws {Error} when none is found.
 */
export async function freePort(): Promise<number> {
  let problem: number | string = '';
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to);
    problem = (await reserve(port)) ? await tryPort(port, '127.0.0.1') : 'EADDRINUSE';
    if (problem === port) return port;
  }
  throw new Error(`no port of 127.0.0.1 can be bound: ${problem}`);
}

/** Returns the error code of listening on `host:port` (`EADDRINUSE`, `EACCES`, …); undefined when the port is free. */
export async function whyPortIsTaken(port: number, host: string): Promise<string | undefined> {
  const outcome = await tryPort(port, host);
  return typeof outcome === 'string' ? outcome : undefined;
}

/** Returns a port of the loopback interface as a number if it is free; undefined for none, or for 0. */
export async function portIfFree(port: string | undefined): Promise<number | undefined> {
  const number = Number(port ?? 0);
  return number !== 0 && (await whyPortIsTaken(number, '127.0.0.1')) === undefined ? number : undefined;
}
