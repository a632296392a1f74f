import { dueOf } from '../../shared/balance';
import type { UnitOfWork } from '../../shared/engine/db';
import { type Invoice, mustNotBePaid } from '../../shared/invoices';
import type { PaymentLink } from '../../shared/paymentLinks';

/** Tests whether the invoice may be paid, and the link asks for the amount due. */
export async function mayBePaid(uow: UnitOfWork, link: PaymentLink, invoice: Invoice): Promise<boolean> {
  return !mustNotBePaid(invoice) && link.currency === invoice.currency && link.total === (await dueOf(uow, invoice));
}
