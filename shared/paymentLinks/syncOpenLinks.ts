import type { InstallationWork } from '../kernel/database/unitOfWork';
import { recordJob } from '../kernel/jobs/recordJob';
import { syncPaymentLink } from './syncPaymentLink';

/** Links of one transaction. */
const BATCH = 200;

/** What one transaction has recorded. */
export interface SyncedBatch {
  recorded: number;
  /** The id after which the next batch begins; null when this was the last one. */
  next: number | null;
}

/**
 * Records a sync of the first open links with an id above `after`, of one invoice or of all: a link is open until it has ended
 * at the gateway. The caller commits each batch by itself.
 */
export async function syncOpenLinks(
  work: InstallationWork,
  after: number,
  invoiceId: number | null = null,
): Promise<SyncedBatch> {
  const condition = invoiceId === null ? '' : 'AND invoiceId = ?';
  const links = await work.sql.rows<{ companyId: number; id: number }>(
    `SELECT companyId, id FROM payment_links
      WHERE status IN ('creating', 'active', 'superseded') AND id > ? ${condition} ORDER BY id LIMIT ${BATCH}`,
    invoiceId === null ? [after] : [after, invoiceId],
  );
  for (const { companyId, id } of links) {
    await recordJob(work.forCompany(companyId), syncPaymentLink, { paymentLinkId: id });
  }
  return { recorded: links.length, next: links.length < BATCH ? null : (links.at(-1)?.id ?? null) };
}
