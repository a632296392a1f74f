import { randomUUID } from 'node:crypto';
import type { UnitOfWork } from '../../shared/engine/db';
import { dueOf } from '../../shared/balance';
import { lockInvoice } from '../../shared/invoices';
import { gatewayRules, nextPoll, PaymentLink, usableLink } from '../../shared/paymentLinks';
import { checkNoneProcessing, checkPayable, providerOf } from '../../shared/payments';
import { Snooze, type JobRun } from '../jobs/JobRun';

/** The row for which a link is created. */
export interface LinkPlan {
  link: PaymentLink;
  /** True if the link exists already. */
  made: boolean;
  /** The start of an earlier call for this row with an unknown outcome; null for none. */
  calledBefore: Date | null;
}

/**
 * Checks again conditions that may have changed since the request, and records on the row that a call to the gateway begins.
 * @throws {Snooze} while an earlier call with an unknown outcome may still take effect; {@link Conflict}; {@link NotFound}.
 */
export async function planLink(
  uow: UnitOfWork,
  invoiceId: number,
  { job, tools: { services, gateways } }: JobRun,
): Promise<LinkPlan> {
  const { companyId, transaction, now } = uow;
  const provider = await providerOf(uow, services.config.gateway.provider);
  const invoice = await lockInvoice(uow, invoiceId);
  const { currency } = invoice;
  const due = await dueOf(uow, invoice);
  checkPayable(invoice, due, provider);
  await checkNoneProcessing(uow, invoiceId);
  const usable = await usableLink(uow, { id: invoiceId, due, currency });
  if (usable !== null && usable.createdAt >= job.createdAt) return { link: usable, made: true, calledBefore: null };
  const open = await PaymentLink.findOne({ where: { companyId, invoiceId, status: 'creating' }, transaction });
  if (open !== null && open.calledAt !== null) {
    const calledBefore = open.calledAt;
    const next = new Date(calledBefore.getTime() + gateways.of(open.provider).unknownForMs);
    if (now < next) throw new Snooze(next);
    return { link: await open.update({ calledAt: now }, { transaction }), made: false, calledBefore };
  }
  gateways.of(provider);
  const amount = gatewayRules(provider).gatewayAmount(due, currency);
  const called = { provider, total: due, currency, amount, calledAt: now, updatedAt: now };
  const made = { reference: randomUUID(), status: 'creating', pollAt: nextPoll(now, now), createdAt: now } as const;
  const link =
    (await open?.update(called, { transaction })) ??
    (await PaymentLink.create({ companyId, invoiceId, ...made, ...called }, { transaction }));
  return { link, made: false, calledBefore: null };
}
