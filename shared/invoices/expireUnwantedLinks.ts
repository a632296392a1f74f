import { Op, type WhereOptions } from 'sequelize';
import { dueOf } from '../balance';
import type { UnitOfWork } from '../engine/db';
import { recordJob } from '../engine/jobs';
import { expirePaymentLinks, PaymentLink } from '../paymentLinks';
import type { Invoice } from './Invoice';
import { invoiceRules } from './rules';

/**
 * Records the expiry of the open links of a locked invoice that must not be paid any more: all of them when it is deleted, cancelled
 * or paid, else those that ask for something else than is due.
 * @param due where the caller knows it: a decimal with two places
 */
export async function expireUnwantedLinks(uow: UnitOfWork, invoice: Invoice, due?: string): Promise<void> {
  const { companyId, transaction } = uow;
  const unwanted = mustNotBePaid(invoice) ? {} : linksNotFor(invoice, due ?? (await dueOf(uow, invoice)));
  const where = { companyId, invoiceId: invoice.id, status: ['active', 'superseded'], ...unwanted };
  if ((await PaymentLink.count({ where, transaction })) === 0) return;
  await recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id });
}

/** The condition of links that ask for something else than is due. */
export function linksNotFor({ currency }: Pick<Invoice, 'currency'>, due: string): WhereOptions {
  return { [Op.or]: [{ total: { [Op.ne]: due } }, { currency: { [Op.ne]: currency } }] };
}

/** Deleted, cancelled or paid. */
export function mustNotBePaid({ softDelete, status }: Invoice): boolean {
  return softDelete || !invoiceRules[status].canBePaid;
}
