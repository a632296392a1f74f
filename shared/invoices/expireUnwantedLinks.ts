import { expirePaymentLinks, PaymentLink } from '../paymentLinks';
import type { Invoice } from './Invoice';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { invoiceRules } from './rules';
import { recordJob } from '../kernel/jobs/recordJob';

/** Records the expiry of an invoice's open links when it must not be paid (again): deleted, cancelled or paid. */
export async function expireUnwantedLinks(uow: UnitOfWork, invoice: Invoice): Promise<void> {
  if (!mustNotBePaid(invoice)) return;
  const { companyId, transaction } = uow;
  const open = { companyId, invoiceId: invoice.id, status: ['active', 'superseded'] };
  if ((await PaymentLink.count({ where: open, transaction })) === 0) return;
  await recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id });
}

/** Deleted, cancelled or paid. */
export function mustNotBePaid({ softDelete, status }: Invoice): boolean {
  return softDelete || !invoiceRules[status].canBePaid;
}
