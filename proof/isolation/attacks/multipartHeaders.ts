import { setMaxListeners } from 'node:events';
import { rawSocket, requestHead } from '../attacker/rawSocket';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const bytes = 256 * 1024;

export const multipartHeaders: Attack = {
  name: 'multipart-headers',
  what: 'uploads whose part has a header of 256 KiB of quotes, 8 connections',
  run: (attacker, signal) => {
    const headers = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${bytes}`];
    const part = Buffer.alloc(bytes, '"');
    part.write('--x\r\nContent-Disposition: form-data; name="file"; filename=');
    const upload = Buffer.concat([Buffer.from(requestHead(attacker, 'POST /api/receipts', headers)), part]);
    return repeat(attacker, 8, signal, () => untilClosed(rawSocket(attacker, upload), signal));
  },
};

/** Resolves when the server has closed the connection, or the attack is over. */
export function untilClosed(socket: ReturnType<typeof rawSocket>, signal: AbortSignal): Promise<void> {
  const end = (): void => void socket.destroy();
  // One for each connection.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', end, { once: true });
  return new Promise((resolve) => {
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}
