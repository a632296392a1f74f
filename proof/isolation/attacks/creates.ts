import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';
import { newInvoice } from '../newInvoice';

export const creates: Attack = {
  name: 'creates',
  what: 'creates of invoices, 64 connections',
  run: (attacker, signal) => {
    const body = newInvoice(attacker.company.clientId);
    return repeat(attacker, 64, signal, () => attacker.send({ path: '/api/invoices', method: 'POST', body }));
  },
};
