import { Op } from 'sequelize';
import { recordJob } from '../../shared/engine/jobs';
import {
  expirePaymentLinks,
  type GatewayLinkStatus,
  linkFacts,
  PaymentLink,
  paymentLinkEvents,
  type PaymentLinkStatus,
} from '../../shared/paymentLinks';
import type { UnitOfWork } from '../../shared/engine/db';
import { findLocked } from '../../shared/invoices';
import { recordEvent } from '../../shared/engine/events';
import { nextUpdatedAt } from '../../shared/engine/records';
import { recordGatewayPayment } from '../../shared/payments';
import { type Gateway, type GatewayLink, PartlyExpired } from '../gateways';
import { type JobRun, Snooze, snoozeFor } from '../jobs/JobRun';

/**
 * The links of one row that may stay open: `all` while a job is creating one, the `recorded` one, or `none`. A row has several if a call
 * with an unknown outcome took effect.
 */
export type Keep = 'all' | 'recorded' | 'none';

/** The current states, at the gateway, of all links that calls for one row have created. */
export interface Settled {
  found: readonly GatewayLink[];
  keep: Keep;
}

/** Expires every open link that was created for one row, and records every payment. Safe to repeat. */
export async function settleLink(run: JobRun, link: PaymentLink): Promise<void> {
  const settled = await settleAtGateway(run, link, () => Promise.resolve('none'));
  await run.record((uow) => recordSettled(uow, link, settled));
}

/**
 * Reads the links of one row from the gateway, and expires open ones that are not to be kept. `whatToKeep` is called only if it matters:
 * not for a paid link. `ofPayment`: reads refunds and disputes too. Safe to repeat.
 * @throws {Snooze} when that takes long: another run goes on
 */
export async function settleAtGateway(
  run: JobRun,
  link: PaymentLink,
  whatToKeep: () => Promise<Keep>,
  ofPayment = false,
): Promise<Settled> {
  const gateway = run.tools.gateways.of(link.provider);
  const found = await gateway.linksOf(link, { ofPayment, caller: run });
  const has = (...statuses: GatewayLinkStatus[]): boolean => found.some(({ status }) => statuses.includes(status));
  const keep = has('paid', 'processing') && !has('pending') ? 'none' : await whatToKeep();
  const settled: GatewayLink[] = [];
  for (const one of found) {
    const wanted = keep === 'all' || (keep === 'recorded' && one.id === link.gatewayId);
    // An expired link of a superseded row may have sessions that a run before has left open.
    const mayBeOpen = one.status === 'pending' || (one.status === 'expired' && link.status === 'superseded');
    settled.push(mayBeOpen && !wanted ? await expire(run, gateway, one) : one);
  }
  return { found: settled, keep };
}

/** @throws {Snooze} when the link takes long: other jobs come first. */
async function expire(run: JobRun, gateway: Gateway, { id }: GatewayLink): Promise<GatewayLink> {
  try {
    return await gateway.expireLink(id, run);
  } catch (error) {
    throw error instanceof PartlyExpired ? snoozeFor(0, run.tools.services.clock) : error;
  }
}

/** The most characters of a payment's method. */
const MAX_METHOD = 50;

/** Supersedes links that could be paid in addition to the payment in progress. */
async function endOthers(uow: UnitOfWork, { id, invoiceId }: PaymentLink): Promise<void> {
  const { companyId, transaction, now } = uow;
  const where = { companyId, invoiceId, status: 'active', id: { [Op.ne]: id } };
  const [ended] = await PaymentLink.update({ status: 'superseded', updatedAt: now }, { where, transaction });
  if (ended > 0) await recordJob(uow, expirePaymentLinks, { invoiceId });
}

/** Returns the status of a link that can be paid: a payment in progress has failed. */
const reopened = (before: PaymentLinkStatus): PaymentLinkStatus => (before === 'processing' ? 'active' : before);

/**
 * Checks that the row is as it was loaded before the gateway was read. If another run has recorded a state since, it may be a later one.
 * @param seen as loaded
 * @throws {Snooze} that repeats the run, which reads the gateway again
 */
export function requireUnchanged({ now }: UnitOfWork, link: PaymentLink, seen: Date): void {
  if (link.updatedAt.getTime() !== seen.getTime()) throw new Snooze(now);
}

/**
 * Records the payments or the expiry of a row's links. Returns the status of the row. Safe to repeat.
 * @param seen the row, as it was loaded before the gateway was read
 * @throws as {@link requireUnchanged} does
 */
export async function recordSettled(uow: UnitOfWork, seen: PaymentLink, { found, keep }: Settled): Promise<string> {
  const { companyId, transaction, now } = uow;
  const { id, invoiceId } = seen;
  // Every transaction locks the invoice first.
  const invoice = await findLocked(uow, invoiceId);
  if (invoice === null) throw new Error(`payment link ${id} has no invoice`);
  const link = await PaymentLink.findOne({ where: { companyId, id }, transaction, rejectOnEmpty: true });
  requireUnchanged(uow, link, seen.updatedAt);
  const paid = found.filter(({ status }) => status === 'paid');
  // The gateway may list a new link late: a known link that it does not list yet has not ended.
  const unseen = link.gatewayId !== null && !found.some((one) => one.id === link.gatewayId);
  const open = keep === 'all' || unseen || found.some(({ status }) => status === 'pending');
  const before = link.status;
  const isProcessing = found.some(({ status }) => status === 'processing');
  const after = paid.length > 0 ? 'paid' : isProcessing ? 'processing' : open ? reopened(before) : 'expired';
  await link.update({ status: after, updatedAt: nextUpdatedAt(now, link.updatedAt) }, { transaction });
  if (after === 'processing') await endOthers(uow, link);
  for (const one of paid) {
    await recordGatewayPayment(uow, invoice, link, {
      gatewayId: one.paymentId ?? one.id,
      amount: one.paidAmount ?? one.amount,
      currency: one.currency,
      method: one.paymentMethod?.slice(0, MAX_METHOD) ?? null,
      paidAt: one.paidAt ?? now,
      refundedAmount: one.refundedAmount,
      disputedAt: one.disputedAt,
    });
  }
  if (after === 'expired' && before !== 'expired') {
    recordEvent(uow, paymentLinkEvents.expired, invoiceId, linkFacts(link, invoice));
  }
  return after;
}
