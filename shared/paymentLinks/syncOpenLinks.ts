import type { InstallationWork } from '../engine/db';
import { recordJob } from '../engine/jobs';
import { syncPaymentLink } from './syncPaymentLink';

const open = "'creating', 'active', 'superseded', 'processing'";
const openLinks = `payment_links FORCE INDEX (payment_links_id) WHERE status IN (${open})`;
const linksOfInvoice = `payment_links FORCE INDEX (payment_links_by_invoice)
  WHERE companyId = (SELECT companyId FROM invoices WHERE id = ?) AND invoiceId = ? AND status IN (${open}, 'paid')`;

/** Links of one transaction. */
const BATCH = 200;

/** The result of one transaction. */
export interface SyncedBatch {
  recorded: number;
  /** The id after which the next batch begins; null when this was the last one. */
  next: number | null;
}

/**
 * Records a sync of the first open links with an id above `after`. A link is open until it has ended at the gateway. With an invoice, its
 * paid links are included, to read refunds and disputes. The caller commits each batch by itself.
 */
export async function syncOpenLinks(
  work: InstallationWork,
  after: number,
  invoiceId: number | null = null,
): Promise<SyncedBatch> {
  const links = await work.sql.rows<{ companyId: number; id: number }>(
    `SELECT companyId, id FROM ${invoiceId === null ? openLinks : linksOfInvoice} AND id > ? ORDER BY id LIMIT ${BATCH}`,
    invoiceId === null ? [after] : [invoiceId, invoiceId, after],
  );
  const ofPayment = invoiceId !== null && { ofPayment: true };
  for (const { companyId, id } of links) {
    await recordJob(work.forCompany(companyId), syncPaymentLink, { paymentLinkId: id, ...ofPayment });
  }
  return { recorded: links.length, next: links.length < BATCH ? null : (links.at(-1)?.id ?? null) };
}
