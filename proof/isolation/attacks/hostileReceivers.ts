import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { repeat } from '../attacker/repeat';
import { deliveredOrProblem } from '../attacker/withReceiver';
import type { Attack } from '../Attack';

const endpoints = 20;

/** Webhook endpoints that respond with bytes which take long to parse. `respond` writes to a connection with a request. */
const hostileReceiver = (name: string, what: string, respond: (socket: Socket) => void): Attack => ({
  name,
  what: `${endpoints} webhook endpoints that respond with ${what}`,
  run: async (attacker, signal) => {
    const receiver = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => undefined);
      socket.once('data', () => {
        attacker.count('delivered');
        respond(socket);
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    for (let index = 0; index < endpoints; index++) {
      const body = { url: `http://127.0.0.1:${port}/${index}` };
      await attacker.send({ path: '/api/webhook-endpoints', method: 'POST', body });
    }
    const path = `/api/clients/${attacker.company.clientId}`;
    await repeat(attacker, 4, signal, (turn) =>
      attacker.send({ path, method: 'PUT', body: { name: `Client ${turn}` } }),
    );
    receiver.close();
  },
  judge: deliveredOrProblem,
});

const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2_000));

export const interimResponses = hostileReceiver(
  'interim-responses',
  'interim responses (103) without an end',
  (socket) => {
    const pour = (): void => {
      while (!socket.destroyed && socket.write(interim));
    };
    socket.on('drain', pour);
    pour();
  },
);

const chunked = Buffer.from(
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(16_000)}0\r\n\r\n`,
);

export const tinyResponseChunks = hostileReceiver(
  'tiny-response-chunks',
  'a body of 16,000 chunks of a byte',
  (socket) => {
    socket.on('data', () => socket.write(chunked));
    socket.write(chunked);
  },
);
