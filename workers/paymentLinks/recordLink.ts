import { findLocked, markSent } from '../../shared/invoices';
import type { UnitOfWork } from '../../shared/engine/db';
import { recordEvent } from '../../shared/engine/events';
import { recordJob } from '../../shared/engine/jobs';
import {
  isPaymentProcessing,
  linkFacts,
  PaymentLink,
  paymentLinkEvents,
  syncPaymentLink,
} from '../../shared/paymentLinks';
import type { GatewayLink } from '../gateways';
import { mayBePaid } from './mayBePaid';

/** A call with an unknown outcome may take effect late: the links of the row are read from the gateway after this long. */
const SYNC_LATER_MS = 60_000;

/**
 * Records the gateway's link on its row and on the invoice, and marks the earlier ones as superseded. Returns null if the invoice has
 * changed since the link was planned: then this link is superseded too. `mayHaveOthers`: earlier calls for the row may have created more
 * links.
 */
export async function recordLink(
  uow: UnitOfWork,
  planned: PaymentLink,
  { id, url, expiresAt, status }: GatewayLink,
  mayHaveOthers: boolean,
): Promise<PaymentLink | null> {
  const { companyId, transaction, now } = uow;
  const invoice = await findLocked(uow, planned.invoiceId);
  const link = await PaymentLink.findOne({ where: { companyId, id: planned.id }, transaction, rejectOnEmpty: true });
  const current =
    invoice !== null &&
    (await mayBePaid(uow, link, invoice)) &&
    !(await isPaymentProcessing(uow.sql, companyId, invoice.id));
  // This transaction was committed before, and its confirmation was lost.
  if (link.gatewayId === id) return current && link.status !== 'superseded' ? link : null;
  await PaymentLink.update(
    { status: 'superseded', updatedAt: now },
    { where: { companyId, invoiceId: link.invoiceId, status: 'active' }, transaction },
  );
  // The callback of its payment may have arrived first.
  const after = link.status === 'paid' ? 'paid' : current ? 'active' : 'superseded';
  await link.update({ gatewayId: id, url, expiresAt, status: after, updatedAt: now }, { transaction });
  if (status === 'paid' || status === 'processing') await recordSync(uow, link);
  else if (mayHaveOthers) await recordLaterSync(uow, link);
  if (invoice === null || !current) return null;
  await markSent(uow, invoice, { columns: { gatewayInvoiceId: id, gatewayInvoiceUrl: url } });
  recordEvent(uow, paymentLinkEvents.created, invoice.id, {
    ...linkFacts(link, invoice),
    url,
  });
  return link;
}

/**
 * Records the failure of a job that creates a link. Superseded links are expired, and the gateway is asked for a link that a call with an
 * unknown outcome may have created.
 */
export async function recordUnmade(uow: UnitOfWork, invoiceId: number): Promise<void> {
  const { companyId, transaction, now } = uow;
  const where = { companyId, invoiceId, status: ['creating', 'superseded'] };
  for (const link of await PaymentLink.findAll({ where, transaction })) {
    if (link.status === 'superseded') await recordSync(uow, link);
    else if (link.calledAt !== null) await recordLaterSync(uow, link);
    else await link.update({ status: 'failed', updatedAt: now }, { transaction });
  }
}

const recordLaterSync = (uow: UnitOfWork, link: PaymentLink): Promise<void> =>
  recordSync(uow, link, new Date(uow.now.getTime() + SYNC_LATER_MS));

async function recordSync(uow: UnitOfWork, { id }: PaymentLink, availableAt = uow.now): Promise<void> {
  await recordJob(uow, syncPaymentLink, { paymentLinkId: id }, { availableAt });
}
