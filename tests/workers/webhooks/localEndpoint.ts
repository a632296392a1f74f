import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { selfSigned, type Certificate } from '../../support/certificate';
import { atEnd } from '../../support/installation';

/** A request as an endpoint received it. */
export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface LocalEndpoint {
  url: string;
  /** In the order of arrival. */
  received: Received[];
  /** How many connections were opened. */
  connections(): number;
  /** Called with each connection whose TLS handshake is complete. */
  onSecure(listener: (socket: TLSSocket) => void): void;
  /** Changes how requests are responded to. */
  respond(listener: Respond): void;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

export type Respond = (request: Received, response: ServerResponse) => void;

const accept: Respond = (_, response) => void response.writeHead(204).end();

/** An endpoint on this machine, which responds with 204 unless told otherwise. It ends after the file's last test. */
export function startEndpoint(respond: Respond = accept, port = 0): Promise<LocalEndpoint> {
  return start((listener) => createServer(listener), 'http', respond, port);
}

/** As {@link startEndpoint}, with TLS; with a self-signed certificate unless told otherwise. */
export function startTlsEndpoint(
  options: Certificate & SecureContextOptions = selfSigned('localhost'),
  respond: Respond = accept,
): Promise<LocalEndpoint> {
  return start((listener) => createTlsServer(options, listener), 'https', respond, 0);
}

/** A server that speaks whatever `serve` writes. */
export async function startRawEndpoint(serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  atEnd(async () => {
    sockets.forEach((socket) => socket.destroy());
    await closed(server);
  });
  return `http://127.0.0.1:${await listen(server, 0)}/`;
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server, 0);
  await closed(server);
  return port;
}

async function start(
  create: (listener: RequestListener) => Server & { closeAllConnections(): void },
  scheme: string,
  first: Respond,
  port: number,
): Promise<LocalEndpoint> {
  let respond = first;
  let connections = 0;
  const received: Received[] = [];
  const server = create((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url: path = '' } = request;
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const one = { method, path, headers, body };
      received.push(one);
      respond(one, response);
    });
  });
  server.on('connection', () => (connections += 1));
  const listening = await listen(server, port);
  const close = async (): Promise<void> => {
    const ended = closed(server);
    server.closeAllConnections();
    await ended;
  };
  atEnd(close);
  return {
    url: `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${listening}/hooks?of=us`,
    received,
    connections: () => connections,
    onSecure: (listener) => void server.on('secureConnection', listener),
    respond: (listener) => (respond = listener),
    close,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const ended = once(server, 'close');
  server.close();
  await ended;
}
