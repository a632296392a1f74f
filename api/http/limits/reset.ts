import type { Socket } from 'node:net';

/**
 * Closes a connection with a reset, so that the operating system forgets what it has taken, up to 4 MB, which it would keep for minutes. While
 * the end of the connection is being sent, a reset fails, and Node.js would then never close the socket (`uv_tcp_close_reset` of libuv: not
 * together with `uv_shutdown`); so without one.
 */
export function reset(socket: Socket): void {
  const isEnding = socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished;
  if (isEnding) socket.destroy();
  else socket.resetAndDestroy();
}
