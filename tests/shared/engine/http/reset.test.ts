import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { reset } from '../../../../shared/engine/http';

/** A connection, from the side of the server and from the other one. */
async function connection(): Promise<{ socket: Socket; far: Socket; close: () => void }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const far = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  const [[socket]] = await Promise.all([accepted, once(far, 'connect')]);
  socket.on('error', () => undefined);
  return { socket, far, close: () => server.close() };
}

test.each([
  { when: 'open', before: () => undefined },
  { when: 'while its end is being sent', before: (socket: Socket) => void socket.end() },
  { when: 'while its end is being sent, after a response', before: (socket: Socket) => void socket.end('response') },
])('a connection that is reset $when › closes', async ({ before }) => {
  const { socket, far, close } = await connection();
  far.on('error', () => undefined).resume();
  const closed = [socket, far].map((side) => new Promise((resolve) => side.once('close', resolve)));
  before(socket);
  reset(socket);
  // Both sides of the connection may be half open.
  far.end();
  await Promise.all(closed);
  close();
});

test('a connection that is reset › is reset for the other side', async () => {
  const { socket, far, close } = await connection();
  const failed = once(far, 'error');
  reset(socket);
  expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
  close();
});
