import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type Koa from 'koa';
import type { LimitsConfig } from '../../../config/limits';
import { AppError, RequestTimeout } from '../../../shared/engine/errors';
import { problemOf } from '../middleware/errors';
import { MAX_HEADERS } from '../middleware/headerLengths';
import { BoundedRequest, TINY_CHUNKS } from './BoundedRequest';
import { Connections } from './Connections';
import { drain } from './drain';

/** Longer than the idle time-out of common proxies, so that no proxy sends a request on a connection that is being closed. */
const KEEP_ALIVE_MS = 75_000;
/** The time from the first byte of a request to its last. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 15_000;
/** The connections that are late in one check are refused in one iteration of the event loop, at 0.1 ms each. */
const CHECK_EVERY_MS = 50;
/** Of the request line and the headers together. Keys, traces and the cookies of browsers take less. */
const MAX_HEAD_BYTES = 8 * 1024;
/** The time from the response to what is no request until its connection is closed. */
const LINGER_MS = 1_000;

export interface HttpServer {
  readonly server: Server;
  /**
   * Stops listening once every client has a response with `Connection: close`, at the latest after `maxMs`. Resolves when all
   * connections are closed ({@link drain}).
   */
  readonly drain: (maxMs: number) => Promise<void>;
}

/** Creates the HTTP server of an app. Requests that Node.js refuses before the app get problem details as well. */
export function createHttpServer(app: Koa, { connections: maxConnections }: LimitsConfig): HttpServer {
  const handle = app.callback();
  const server = createServer({
    IncomingMessage: BoundedRequest,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    // Node.js would respond by itself, to any number of pipelined requests. `hostHeader` does.
    requireHostHeader: false,
  });
  // Node.js drops further ones. `headerLengths` refuses a request that has them.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const connections = new Connections(server, maxConnections);
  const serve = (request: BoundedRequest, response: ServerResponse): void => {
    // Koa responds to errors itself; its promise never rejects.
    connections.serve(request, response, () => handle(request, response));
  };
  server.on('request', serve);
  // Requests with an Expect header: the app decides how to respond.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  const refuseWith = (code: string | undefined, socket: ClientSocket): void =>
    connections.refuse(socket, () => refuse(code, socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: ClientSocket) => refuseWith(error.code, socket));
  // Without a response, nginx before 1.21.1, which passes it on, would hold that this API has failed.
  server.on('connect', (_request, socket) => refuseWith('CONNECT', socket as ClientSocket));
  return { server, drain: (maxMs) => drain(server, connections, maxMs) };
}

type ClientSocket = Socket & { _httpMessage?: ServerResponse };

/** Responds with the statuses that Node.js would use, and a body. If another response has begun, closes the connection. */
function refuse(code: string | undefined, socket: ClientSocket): void {
  if (!socket.writable || code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const problem = problemOf(problemFor(code), requestId);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  // The client may never end its side, and nothing reads what it still sends: a client that reads has the response by then.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => setTimeout(() => socket.destroy(), LINGER_MS).unref());
}

function problemFor(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('bad_request', 'the headers are too large', { status: 431 });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  if (code === 'CONNECT')
    return new AppError('bad_request', 'CONNECT is for proxies, and this is none', { status: 400 });
  if (code === TINY_CHUNKS) {
    return new AppError('bad_request', 'the body comes in too many tiny chunks: send larger ones', { status: 400 });
  }
  return new AppError('bad_request', 'the request is not HTTP, or was cut off', { status: 400 });
}
