import { randomUUID } from 'node:crypto';
import { PaymentLink, type Invoice } from '../../shared/database/models';
import type { UnitOfWork } from '../../shared/database/unitOfWork';
import { Conflict, GatewayUnavailable } from '../../shared/errors';
import { gatewayRules } from '../../shared/gateways';
import { recordJob } from '../../shared/outbox/recordJob';
import { mustNotBePaid } from '../../shared/usecases/invoices/expireUnwantedLinks';
import { findLocked, lockInvoice } from '../../shared/usecases/invoices/lockInvoice';
import { checkPayable, markSent, usableLink } from '../../shared/usecases/invoices/requestPaymentLink';
import { nextPoll } from '../../shared/usecases/payments/pollPaymentLinks';
import { nextUpdatedAt } from '../../shared/usecases/nextUpdatedAt';
import { recordEvent } from '../../shared/usecases/recordEvent';
import type { GatewayLink } from '../gateways';
import { TooEarly, type JobHandler, type JobRun } from '../JobRun';
import { settleLink } from './settleLink';

type Run = JobRun<'createPaymentLink'>;

/** A total that changes while the link is made costs another round; more often than this is not a race any more. */
const MAX_ROUNDS = 3;
/** A call whose outcome was unknown may be carried out late: what it made is looked for again after this long. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Makes a link and ends the ones before it; every step is committed before the next, so that a run after a crash goes on
 * where the last one stopped. Links are found at the gateway by our reference before one is made again.
 */
export const createPaymentLink: JobHandler<'createPaymentLink'> = {
  async run(run) {
    const link = await currentLink(run);
    const where = { companyId: run.companyId, invoiceId: run.payload.invoiceId, status: 'superseded' };
    for (const old of await PaymentLink.findAll({ where })) await settleLink(run, old, 'none');
    return run.finish(() => Promise.resolve({ paymentLinkId: link.id, url: link.url ?? '' }));
  },

  /** Links that were to be ended are, and one that a call with an unknown outcome may have made is looked for first. */
  async failed(uow, { invoiceId }, error) {
    const { companyId, transaction, now } = uow;
    const where = { companyId, invoiceId, status: ['creating', 'superseded'] };
    for (const link of await PaymentLink.findAll({ where, transaction })) {
      if (link.status === 'superseded') await recordSync(uow, link.id, now);
      else if (link.calledAt !== null) await recordSync(uow, link.id);
      else await link.update({ status: 'failed', updatedAt: now }, { transaction });
    }
    return error;
  },
};

/** The link that this job has made, by this run or by one before it. */
async function currentLink(run: Run): Promise<PaymentLink> {
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const plan = await run.perform((uow) => planLink(uow, run));
    if (plan.made) return plan.link;
    const atGateway = await findOrCreate(run, plan.link, plan.calledBefore);
    const late = plan.calledBefore !== null || run.attempt > 1;
    const recorded = await run.record((uow) => recordLink(uow, run, plan.link.id, atGateway, late));
    if (recorded !== null) return recorded;
  }
  throw new Conflict('invoice_changing', 'the invoice kept changing while its payment link was made');
}

interface Plan {
  link: PaymentLink;
  /** True when there is nothing left to make. */
  made: boolean;
  /** When an earlier call for this row began, whose outcome is not known; null for none. */
  calledBefore: Date | null;
}

/** Checks again what may have changed since the request, and commits the row before the gateway is called for it. */
async function planLink(uow: UnitOfWork, { payload, job, tools }: Run): Promise<Plan> {
  const { companyId, transaction, now } = uow;
  const { provider } = tools.gateway;
  const invoice = await lockInvoice(uow, payload.invoiceId);
  checkPayable(invoice, provider);
  const usable = await usableLink(uow, invoice);
  if (usable !== null && usable.createdAt >= job.createdAt) {
    return { link: usable, made: true, calledBefore: null };
  }
  const open = await PaymentLink.findOne({
    where: { companyId, invoiceId: invoice.id, status: 'creating' },
    transaction,
  });
  if (open !== null && open.calledAt !== null) return { link: open, made: false, calledBefore: open.calledAt };
  const { total, currency } = invoice;
  const figures = { total, currency, amount: gatewayRules(provider).gatewayAmount(total, currency), calledAt: now };
  const link =
    (await open?.update({ ...figures, updatedAt: now }, { transaction })) ??
    (await PaymentLink.create(
      {
        companyId,
        invoiceId: invoice.id,
        provider,
        reference: randomUUID(),
        status: 'creating',
        ...figures,
        pollAt: nextPoll(now, now),
        createdAt: now,
        updatedAt: now,
      },
      { transaction },
    ));
  return { link, made: false, calledBefore: null };
}

/** After a call with an unknown outcome the gateway is asked first, once that call's own deadline has passed. */
async function findOrCreate(run: Run, link: PaymentLink, calledBefore: Date | null): Promise<GatewayLink> {
  const { gateway, services } = run.tools;
  if (calledBefore !== null) {
    const over = new Date(calledBefore.getTime() + services.config.gateway.timeoutMs);
    if (services.clock.now() < over) throw new TooEarly(over);
    const found = await gateway.findLinks(link.reference, run.signal);
    const living = found.find(({ status }) => status !== 'expired');
    if (living !== undefined) return living;
    await run.perform((uow) => setCalledAt(uow, link, uow.now));
  }
  const { invoiceNumber, clientEmail } = await describe(run);
  try {
    return await gateway.createLink(
      {
        reference: link.reference,
        amount: link.amount,
        currency: link.currency,
        description: `Invoice ${invoiceNumber}`,
        payerEmail: clientEmail,
        durationSeconds: services.config.gateway.linkDurationSeconds,
      },
      run.signal,
    );
  } catch (error) {
    // Certainly not carried out: there is nothing to look for but what an earlier call may have made.
    if (!(error instanceof GatewayUnavailable && error.outcomeUnknown)) {
      await run.record((uow) => setCalledAt(uow, link, calledBefore));
    }
    throw error;
  }
}

/** By a statement of its own: a model that was saved in a transaction which rolled back would not be saved again. */
async function setCalledAt(
  { companyId, transaction }: UnitOfWork,
  { id }: PaymentLink,
  calledAt: Date | null,
): Promise<void> {
  await PaymentLink.update({ calledAt }, { where: { companyId, id }, transaction });
}

async function describe({
  tools,
  companyId,
  payload,
}: Run): Promise<{ invoiceNumber: string; clientEmail: string | null }> {
  const [row] = await tools.services.sql.rows<{ invoiceNumber: string; clientEmail: string | null }>(
    `SELECT i.invoiceNumber, c.email AS clientEmail FROM invoices i
       JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE i.companyId = ? AND i.id = ?`,
    [companyId, payload.invoiceId],
  );
  if (row === undefined) throw new Error(`invoice ${payload.invoiceId} is gone`);
  return row;
}

/**
 * Records the link on its row and on the invoice, and marks the ones before it to be ended. Answers null when it is for
 * yesterday's total: then it is to be ended itself.
 */
async function recordLink(
  uow: UnitOfWork,
  run: Run,
  linkId: number,
  { id, url, expiresAt, status }: GatewayLink,
  late: boolean,
): Promise<PaymentLink | null> {
  const { companyId, transaction, now } = uow;
  const invoice = await findLocked(uow, run.payload.invoiceId);
  const link = await PaymentLink.findOne({ where: { companyId, id: linkId }, transaction, rejectOnEmpty: true });
  const current = invoice !== null && isCurrent(invoice, link);
  // This very transaction was committed before, and its confirmation was lost.
  if (link.gatewayId === id) return current && link.status !== 'superseded' ? link : null;
  await PaymentLink.update(
    { status: 'superseded', updatedAt: now },
    { where: { companyId, invoiceId: link.invoiceId, status: 'active' }, transaction },
  );
  // The callback of its payment may have been first.
  const after = link.status === 'paid' ? 'paid' : current ? 'active' : 'superseded';
  await link.update({ gatewayId: id, url, expiresAt, status: after, updatedAt: now }, { transaction });
  if (late || status === 'paid') await recordSync(uow, link.id, status === 'paid' ? now : undefined);
  if (invoice === null || !current) return null;
  invoice.gatewayInvoiceId = id;
  invoice.gatewayInvoiceUrl = url;
  invoice.updatedAt = nextUpdatedAt(now, invoice.updatedAt);
  await markSent(uow, invoice);
  await invoice.save({ transaction });
  const subject = { type: 'invoice', id: invoice.id } as const;
  await recordEvent(uow, 'invoice.payment_link.created', subject, { paymentLinkId: link.id, url });
  return link;
}

function isCurrent(invoice: Invoice, link: PaymentLink): boolean {
  return !mustNotBePaid(invoice) && invoice.total === link.total && invoice.currency === link.currency;
}

async function recordSync(uow: UnitOfWork, paymentLinkId: number, availableAt?: Date): Promise<void> {
  const later = new Date(uow.now.getTime() + LOOK_AGAIN_MS);
  await recordJob(uow, 'syncPaymentLink', { paymentLinkId }, { availableAt: availableAt ?? later });
}
