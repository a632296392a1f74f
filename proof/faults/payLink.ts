import { jsonOf } from '../installation/HttpClient';
import type { World } from './World';

/** A payment, from its link to its record in the API. */
export const payLink = {
  /** Makes the invoice's payment link. */
  async prepare(world: World, invoiceId: number): Promise<{ url: string }> {
    const path = `/api/invoices/${invoiceId}/create-gateway-invoice`;
    const { status } = await world.send(world.firstApi, { path, method: 'POST', body: {} });
    const [link] = await world.gatewayLinks(invoiceId);
    if (status !== 200 || link === undefined) throw new Error(`no payment link was made (${status})`);
    return { url: link.invoice_url };
  },

  /** Pays as the client does. The gateway then calls back. */
  async pay(url: string): Promise<void> {
    const response = await fetch(`${url}/pay`, { method: 'POST', headers: { Accept: 'application/json' } });
    if (!response.ok) throw new Error(`the link could not be paid: ${response.status} ${await response.text()}`);
  },

  async isPaid(world: World, invoiceId: number): Promise<boolean> {
    const reply = await world.ask(`/api/invoices/${invoiceId}`);
    return reply !== null && jsonOf<{ status: string }>(reply).status === 'paid';
  },

  /** Counts the recorded payments. */
  async payments({ installation, companyId }: World, invoiceId: number): Promise<number> {
    const [row] = await installation.services.sql.rows<{ count: number }>(
      'SELECT COUNT(*) AS count FROM payments WHERE companyId = ? AND invoiceId = ?',
      [companyId, invoiceId],
    );
    return Number(row?.count ?? 0);
  },
};
