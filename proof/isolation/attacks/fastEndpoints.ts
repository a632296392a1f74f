import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const endpoints = { full: 100, quick: 30 };
const connections = 16;

export const fastEndpoints: Attack = {
  name: 'fast-endpoints',
  what: '100 webhook endpoints (with --quick 30) that respond at once, and changes of clients for all of them, 16 connections',
  run: async (attacker, signal) => {
    const receiver = createServer((request, response) => {
      request.resume();
      attacker.count('delivered');
      response.writeHead(204).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    try {
      for (let index = 0; index < endpoints[attacker.quick ? 'quick' : 'full']; index++) {
        const body = { url: `http://127.0.0.1:${port}/${index}` };
        await attacker.send({ path: '/api/webhook-endpoints', method: 'POST', body });
      }
      const path = `/api/clients/${attacker.company.clientId}`;
      await repeat(attacker, connections, signal, (turn) =>
        attacker.send({ path, method: 'PUT', body: { name: `Client ${turn}` } }),
      );
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  },
  judge: ({ counts }) => ((counts.delivered ?? 0) > 0 ? null : 'nothing was delivered to the attacker'),
};
