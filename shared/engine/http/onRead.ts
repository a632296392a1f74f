import type { Socket } from 'node:net';

type ReadingParser = Record<number, unknown> & { constructor: { kOnExecute?: number } };

/**
 * Calls `read` after each piece that Node.js has read of a connection and parsed, with its bytes. The property is not documented: without it
 * nothing is called.
 */
export function onRead(socket: Socket, read: (bytes: number) => void): void {
  const { parser } = socket as Socket & { parser?: ReadingParser | null };
  const onExecute = parser?.constructor.kOnExecute;
  if (!parser || onExecute === undefined || typeof parser[onExecute] !== 'function') return;
  const parsed = parser[onExecute] as (result: number | Error) => void;
  parser[onExecute] = (result: number | Error) => {
    parsed(result);
    if (typeof result === 'number') read(result);
  };
}
