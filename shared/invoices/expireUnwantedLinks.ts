import { Op, type WhereOptions } from 'sequelize';
import { expirePaymentLinks, PaymentLink } from '../paymentLinks';
import type { Invoice } from './Invoice';
import type { UnitOfWork } from '../engine/db';
import { invoiceRules } from './rules';
import { recordJob } from '../engine/jobs';

/** Records the expiry of an invoice's open links when it must not be paid (again): deleted, cancelled or paid. */
export async function expireUnwantedLinks(uow: UnitOfWork, invoice: Invoice): Promise<void> {
  if (mustNotBePaid(invoice)) await expireWhere(uow, invoice.id, {});
}

/** The same after a payment, which also leaves open links asking for more than is due. @param due a decimal with two places */
export async function expireLinksNotFor(uow: UnitOfWork, invoice: Invoice, due: string): Promise<void> {
  await expireWhere(uow, invoice.id, mustNotBePaid(invoice) ? {} : linksNotFor(invoice, due));
}

/** The condition of links that ask for something else than is due. */
export function linksNotFor({ currency }: Pick<Invoice, 'currency'>, due: string): WhereOptions {
  return { [Op.or]: [{ total: { [Op.ne]: due } }, { currency: { [Op.ne]: currency } }] };
}

async function expireWhere(uow: UnitOfWork, invoiceId: number, condition: WhereOptions): Promise<void> {
  const { companyId, transaction } = uow;
  const where = { companyId, invoiceId, status: ['active', 'superseded'], ...condition };
  if ((await PaymentLink.count({ where, transaction })) > 0) await recordJob(uow, expirePaymentLinks, { invoiceId });
}

/** Deleted, cancelled or paid. */
export function mustNotBePaid({ softDelete, status }: Invoice): boolean {
  return softDelete || !invoiceRules[status].canBePaid;
}
