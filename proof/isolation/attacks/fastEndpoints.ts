import { repeat } from '../attacker/repeat';
import { deliveredOrProblem, withReceiver } from '../attacker/withReceiver';
import type { Attack } from '../Attack';

const endpoints = { full: 100, quick: 30 };
const connections = 16;

export const fastEndpoints: Attack = {
  name: 'fast-endpoints',
  what: '100 webhook endpoints (with --quick 30) that respond at once, and changes of clients for all of them, 16 connections',
  run: (attacker, signal) =>
    withReceiver(attacker, 0, async (url) => {
      for (let index = 0; index < endpoints[attacker.quick ? 'quick' : 'full']; index++) {
        await attacker.send({ path: '/api/webhook-endpoints', method: 'POST', body: { url: `${url}/${index}` } });
      }
      const path = `/api/clients/${attacker.company.clientId}`;
      await repeat(attacker, connections, signal, (turn) =>
        attacker.send({ path, method: 'PUT', body: { name: `Client ${turn}` } }),
      );
    }),
  judge: deliveredOrProblem,
};
