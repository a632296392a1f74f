import { jsonOf } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import { withReceiver } from '../attacker/withReceiver';
import type { Attack, Attacker } from '../Attack';
import { newInvoice } from '../newInvoice';

/** Requests that cost their sender little and the service much, each by another part of it. */

export const compressedLists: Attack = {
  name: 'compressed-lists',
  what: 'compressed lists of 100 invoices of 1,000 items of 500 characters, 16 connections',
  prepare: (ground) => ground.heavy(),
  run: (attacker, signal) =>
    repeat(attacker, 16, signal, () =>
      attacker.send({ path: '/api/invoices?limit=100', headers: { 'Accept-Encoding': 'gzip' } }),
    ),
};

export const replays: Attack = {
  name: 'replays',
  what: 'replays of 5,000 events to a webhook endpoint, 8 connections',
  prepare: (ground) => ground.withEvents(),
  run: (attacker, signal) =>
    withReceiver(attacker, 0, async (url) => {
      const { id } = await create(attacker, '/api/webhook-endpoints', { url });
      const body = { after: 0, until: Number.MAX_SAFE_INTEGER };
      const replay = { path: `/api/webhook-endpoints/${id}/replay`, method: 'POST', body } as const;
      await repeat(attacker, 8, signal, () => attacker.send(replay));
    }),
};

export const repeatedKeys: Attack = {
  name: 'repeated-keys',
  what: 'one create of an invoice of 200 items, repeated with its idempotency key, 32 connections',
  run: (attacker, signal) => {
    const items = Array.from({ length: 200 }, () => ({ description: 'x'.repeat(500), quantity: 1, unitPrice: '1.00' }));
    const body = newInvoice(attacker.company.clientId, { items });
    const headers = { 'Idempotency-Key': 'the same' };
    return repeat(attacker, 32, signal, () => attacker.send({ path: '/api/invoices', method: 'POST', headers, body }));
  },
};

export const occurrences: Attack = {
  name: 'occurrences',
  what: 'the coming dates of a daily series that began in 1900, and changes of it, 32 connections',
  run: async (attacker, signal) => {
    const daily = newInvoice(attacker.company.clientId, { issueDate: '1900-01-01', recurring: 'daily' });
    const { id } = await create(attacker, '/api/invoices', daily);
    await repeat(attacker, 32, signal, (turn) =>
      turn % 4 === 3
        ? attacker.send({ path: `/api/invoices/${id}`, method: 'PUT', body: { nextDueDate: '1900-01-01' } })
        : attacker.send({ path: `/api/invoices/${id}/occurrences?next=100&limit=1000` }),
    );
  },
};

export const payments: Attack = {
  name: 'payments',
  what: 'payments of one invoice, recorded and voided, which wait for its lock, 64 connections',
  run: async (attacker, signal) => {
    const { id } = await create(attacker, '/api/invoices', newInvoice(attacker.company.clientId));
    const path = `/api/invoices/${id}/payments`;
    await repeat(attacker, 64, signal, async () => {
      const recorded = await attacker.send({ path, method: 'POST', body: { amount: '1.00' } });
      if (recorded.status !== 201) return;
      await attacker.send({ path: `${path}/${jsonOf<{ id: number }>(recorded).id}`, method: 'DELETE' });
    });
  },
};

/** @throws {Error} when the request is refused: the attack would prove nothing. */
async function create(attacker: Attacker, path: string, body: unknown): Promise<{ id: number }> {
  const reply = await attacker.send({ path, method: 'POST', body });
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${reply.body.toString().slice(0, 200)}`);
  return jsonOf(reply);
}
