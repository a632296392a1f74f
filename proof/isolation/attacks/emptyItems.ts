import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

const items = 349_000;

export const emptyItems: Attack = {
  name: 'empty-items',
  what: '1 MiB of {"items":[{},{},…]} to POST /api/invoices, 4 connections',
  run: (attacker, signal) => {
    const body = Buffer.from(`{"items":[${Array.from({ length: items }, () => '{}').join(',')}]}`);
    const headers = { 'Content-Type': 'application/json' };
    return repeat(attacker, 4, signal, () => attacker.send({ path: '/api/invoices', method: 'POST', headers, body }));
  },
};
