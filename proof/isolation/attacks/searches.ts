import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const searches: Attack = {
  name: 'searches',
  what: 'searches of 10,000 invoices, 64 connections',
  prepare: (ground) => Promise.resolve(ground.archive),
  run: (attacker, signal) =>
    repeat(attacker, 64, signal, (turn) =>
      attacker.send({ path: `/api/invoices?search=nothing-${turn % 1_000}&limit=100` }),
    ),
};
