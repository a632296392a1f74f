import { countedPayments, Payment } from '../balance';
import { lockInvoice } from '../invoices';
import type { UnitOfWork } from '../engine/db';
import { Conflict, NotFound } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { paymentEvents, paymentFacts } from './events';
import { followPayments } from './insertPayment';

/**
 * Voids a payment that was recorded by hand: it stays listed and no longer counts. An invoice that its payments no longer cover is open
 * again. Voiding a voided payment changes nothing.
 * @throws {NotFound}; {@link Conflict} `payment_not_voidable` for a payment of the gateway.
 */
export async function voidPayment(uow: UnitOfWork, invoiceId: number, paymentId: number): Promise<void> {
  const { companyId, transaction, now } = uow;
  const invoice = await lockInvoice(uow, invoiceId);
  const payment = await Payment.findOne({ where: { companyId, id: paymentId, invoiceId }, transaction });
  if (payment === null) throw new NotFound('payment');
  if (payment.paymentLinkId !== null) {
    throw new Conflict('payment_not_voidable', 'a payment that the gateway reported cannot be voided');
  }
  if (payment.voidedAt !== null) return;
  const before = await countedPayments(uow, invoice);
  await payment.update({ voidedAt: now, updatedAt: now }, { transaction });
  const { method, reference } = payment;
  recordEvent(uow, paymentEvents.voided, invoiceId, { ...paymentFacts(payment, invoice), method, reference });
  const after = before.filter(({ id }) => id !== paymentId);
  await followPayments(uow, invoice, before, after);
}
