import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** Closes open connections. Resolves when the port is free. */
  readonly close: () => Promise<void>;
}

/** Makes a server listen on a port of the loopback interface; 0 means any. @throws {Error} when the port is in use. */
export async function listenOnLoopback(server: Server, port = 0): Promise<Listening> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port;
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { port: taken, url: `http://127.0.0.1:${taken}`, close };
}

/** Serves an app on a port of the loopback interface; 0 means any. @throws {Error} when the port is in use. */
export function serveOnLoopback(app: Koa, port = 0): Promise<Listening> {
  const handle = app.callback();
  return listenOnLoopback(
    createServer((request, response) => void handle(request, response)),
    port,
  );
}
