import { jsonOf } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import type { Attack } from '../Attack';
import { newInvoice } from '../newInvoice';

export const emailFlood: Attack = {
  name: 'email-flood',
  what: 'e-mails of new invoices, 32 connections',
  run: (attacker, signal) =>
    repeat(attacker, 32, signal, async () => {
      const body = newInvoice(attacker.company.clientId);
      const created = await attacker.send({ path: '/api/invoices', method: 'POST', body });
      if (created.status !== 201) return;
      await attacker.send({ path: `/api/invoices/${jsonOf<{ id: number }>(created).id}/send-email`, method: 'POST' });
    }),
};
