import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const longLists: Attack = {
  name: 'long-lists',
  what: 'lists of 100 invoices of 1,000 items of 500 characters, 8 at the same time',
  prepare: (ground) => ground.heavy(),
  run: (attacker, signal) => repeat(attacker, 8, signal, () => attacker.send({ path: '/api/invoices?limit=100' })),
};
