import { fileBody } from '../../installation/HttpClient';
import { repeat } from '../attacker/repeat';
import type { Attack, Attacker } from '../Attack';
import { newInvoice } from '../newInvoice';

/** Requests PDFs of invoices that were never printed before. */
export function printFreshInvoices(
  attacker: Attacker,
  connections: number,
  signal: AbortSignal,
  changes: (turn: number) => object = () => ({}),
): Promise<void> {
  return repeat(attacker, connections, signal, async (turn) => {
    const body = newInvoice(attacker.company.clientId, changes(turn));
    const { status, body: created } = await attacker.send({ path: '/api/invoices', method: 'POST', body });
    if (status !== 201) return;
    const { id } = JSON.parse(created.toString()) as { id: number };
    await attacker.send({ path: `/api/invoices/${id}/pdf` });
  });
}

/** Returns an attack by logo: uploads the logo and, if the API accepts it, prints fresh invoices with it. */
export function logoAttack(
  name: string,
  what: string,
  logo: () => { content: Buffer; type: 'svg+xml' | 'png' },
): Attack {
  return {
    name,
    what: `PDFs with a logo of ${what}, 4 connections`,
    run: async (attacker, signal) => {
      const { content, type } = logo();
      const upload = await fileBody('logo', content, 'logo', `image/${type}`);
      await attacker.send({ path: '/api/company/logo', method: 'PUT', ...upload });
      await printFreshInvoices(attacker, 4, signal);
    },
  };
}
