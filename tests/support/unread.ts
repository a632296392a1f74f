import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { atEnd } from './installation';

/** Sends GETs one after the other on a connection of its own, and reads nothing of the responses until it is resumed. */
export async function sendUnread(url: string, token: string, paths: readonly string[]): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  // A connection that the server cuts ends with an error or without.
  socket.on('error', () => undefined);
  atEnd(() => void socket.destroy());
  await once(socket, 'connect');
  const requests = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  socket.write(requests.join(''));
  return socket;
}
