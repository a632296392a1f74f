import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const depth = 500_000;

export const deepNesting: Attack = {
  name: 'deep-nesting',
  what: 'a body of 500,000 arrays in each other, under an idempotency key, 4 connections',
  run: (attacker, signal) => {
    const body = Buffer.from(`{"notes":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    return repeat(attacker, 4, signal, (turn) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `deep-${process.pid}-${turn}` };
      return attacker.send({ path: '/api/invoices', method: 'POST', headers, body });
    });
  },
};
