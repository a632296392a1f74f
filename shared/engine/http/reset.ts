import type { Socket } from 'node:net';

/**
 * Tests whether all is written and the end of the connection is being sent. A reset fails meanwhile, and Node.js would then never close the
 * socket (`uv_tcp_close_reset` of libuv: not together with `uv_shutdown`).
 */
export const isEnding = (socket: Socket): boolean =>
  socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished;

/** Closes a connection, with a reset if possible: else the operating system keeps what it has taken, up to 4 MB, for minutes. */
export function reset(socket: Socket): void {
  if (isEnding(socket)) socket.destroy();
  else socket.resetAndDestroy();
}
