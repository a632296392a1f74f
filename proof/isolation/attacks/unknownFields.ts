import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const unknownFields: Attack = {
  name: 'unknown-fields',
  what: 'a body of 90,000 unknown fields to POST /api/invoices, 4 connections',
  run: (attacker, signal) => {
    const body = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`f${index}`, 0]));
    return repeat(attacker, 4, signal, () => attacker.send({ path: '/api/invoices', method: 'POST', body }));
  },
};
