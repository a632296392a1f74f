import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';

export const filters: Attack = {
  name: 'filters',
  what: 'filters that nearly all of 10,000 invoices match, 64 connections',
  prepare: (ground) => Promise.resolve(ground.archive),
  run: (attacker, signal) =>
    repeat(attacker, 64, signal, (turn) => {
      const day = `2020-01-${String((turn % 28) + 1).padStart(2, '0')}`;
      return attacker.send({ path: `/api/invoices?issueDateFrom=${day}&currency=IDR` });
    }),
};
