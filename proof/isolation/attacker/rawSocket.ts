import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Attacker } from '../Attack';

/** Opens a connection, writes to it, and counts its outcome. Reads nothing when `reads` is false. */
export function rawSocket(attacker: Attacker, text: string | Buffer, reads = true): Socket {
  const { hostname, port } = new URL(attacker.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('connect', () => {
    attacker.count('connected');
    socket.write(text);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => attacker.count(error.code ?? error.message));
  if (reads) {
    socket.once('data', (chunk: Buffer) => attacker.count(chunk.subarray(9, 12).toString('latin1')));
    socket.resume();
  }
  return socket;
}

/** The head of a request with the attacker's key. */
export function requestHead({ company }: Attacker, line: string, headers: readonly string[] = []): string {
  return [`${line} HTTP/1.1`, 'Host: attacker', `Authorization: Bearer ${company.token}`, ...headers, '', ''].join(
    '\r\n',
  );
}

/** Resolves when the server has closed the connection, or the attack is over. */
export function untilClosed(socket: Socket, signal: AbortSignal): Promise<void> {
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
