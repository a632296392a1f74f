import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Connections } from '../../../../api/http/connections/Connections';
import { eventually } from '../../../support/eventually';

test('a connection that is closed for a new one › counts no longer, even if its socket does not close', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections = new Connections(server, 2);
  const clients: Socket[] = [];
  const open = async (): Promise<Socket> => {
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    clients.push(connect((server.address() as AddressInfo).port, '127.0.0.1'));
    return (await accepted)[0];
  };
  const stays = await open();
  jest.spyOn(stays, 'destroy').mockReturnValue(stays);
  const next = await open();
  await open();
  expect(connections.isOpen(stays)).toBe(false);
  const last = await open();
  expect(next.destroyed).toBe(true);
  expect(connections.isOpen(last)).toBe(true);
  expect(connections.all).toHaveLength(2);
  jest.restoreAllMocks();
  for (const client of clients) client.destroy();
  server.close();
});

test('ends of connections that sent nothing › are handled in pieces: once hundreds have arrived, others are not read', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections = new Connections(server, 500);
  const clients = Array.from({ length: 400 }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  await eventually(() => connections.all.length === 400);
  // All are read: none waits for its turn.
  const accepted = connections.all;
  await eventually(() => accepted.every((socket) => !socket.isPaused()));
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
  const paused = jest.spyOn(Socket.prototype, 'pause');
  for (const client of clients) client.end();
  await eventually(() => connections.all.length === 0);
  expect(paused.mock.calls.length).toBeGreaterThan(0);
  jest.restoreAllMocks();
  server.close();
});
