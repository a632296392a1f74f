import type { Socket } from 'node:net';

/**
 * Makes the parser of a connection fail at the next head of a request or response. Node.js parses all of the chunk that it has read, up to
 * 2,500 heads of 20 µs each, also on a connection that is being closed. It stops if the parser's callback returns an error. The property
 * is not documented: without it, only that time is lost.
 */
export function refuseFurtherHeads(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: unknown } | null };
  if (parser) parser.onIncoming = () => -1;
}
