import type { Socket } from 'node:net';

type BodyParser = Record<number, unknown> & { constructor: { kOnBody?: number } };

/**
 * Drops the rest of a request's body on a connection that is to be closed. Node.js parses the 64 KiB that it has read in any case, and
 * calls back for each chunk: 10,000 chunks of one byte took 18 ms, and 2 without the call. The property is not documented: without it, only
 * that time is lost.
 */
export function ignoreBody(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: BodyParser | null };
  const onBody = parser?.constructor.kOnBody;
  if (!parser || onBody === undefined || typeof parser[onBody] !== 'function') return;
  const callback = parser[onBody];
  parser[onBody] = null;
  // Parsers are used again, by other connections.
  socket.once('close', () => (parser[onBody] = callback));
}
