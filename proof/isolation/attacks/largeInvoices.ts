import { randomUUID } from 'node:crypto';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';
import { newInvoice } from '../newInvoice';

export const largeInvoices: Attack = {
  name: 'large-invoices',
  what: 'creates (with and without keys) and updates of invoices of 1,000 items of 500 characters, 8 connections',
  prepare: (ground) => ground.newCompany(8),
  run: (attacker, signal) => {
    const { clientId, invoiceIds } = attacker.company;
    const items = Array.from({ length: 1_000 }, (_, index) => ({
      description: `${index} `.padEnd(500, 'x'),
      quantity: '1.00',
      unitPrice: '1.00',
    }));
    const body = newInvoice(clientId, { items });
    return repeat(attacker, 8, signal, (turn) => {
      if (turn % 3 === 2) {
        return attacker.send({ path: `/api/invoices/${invoiceIds[turn % 8]}`, method: 'PUT', body: { items } });
      }
      const headers: Record<string, string> = turn % 3 === 1 ? { 'Idempotency-Key': randomUUID() } : {};
      return attacker.send({ path: '/api/invoices', method: 'POST', body, headers });
    });
  },
};
