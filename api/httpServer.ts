import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { AppError } from '../shared/errors';
import { problemOf } from './middleware/errors';

/** The HTTP server of an app. What Node.js refuses before the app sees it has the one shape of errors as well. */
export function createHttpServer(app: Koa): Server {
  const handle = app.callback();
  // Koa answers errors itself; its promise never rejects.
  const server = createServer((request, response) => void handle(request, response));
  return server.on('clientError', refuse);
}

/** Node.js's own codes and statuses, with a body. A response that has begun is not mixed with another one. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse }): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const problem = problemOf(problemFor(error.code), requestId);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function problemFor(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('bad_request', 'the headers are too large', { status: 431 });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError('bad_request', 'the request did not come to its end in time', { status: 408 });
  }
  return new AppError('bad_request', 'the request is not HTTP, or was cut off', { status: 400 });
}
