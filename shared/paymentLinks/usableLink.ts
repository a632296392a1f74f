import { Op } from 'sequelize';
import { coveredSql } from '../balance';
import type { UnitOfWork } from '../engine/db';
import { PaymentLink } from './PaymentLink';

/** What is due of an invoice now: a decimal with two places. */
interface Due {
  due: string;
  currency: string;
}

/** A link is for the invoice as long as it asks for what is due. */
export const asksForDue = (link: { total: string; currency: string }, { due, currency }: Due): boolean =>
  link.total === due && link.currency === currency;

/**
 * SQL: the URL of the newest open link `l` of the invoice `i` for what is due, or NULL. A link whose time has run out is
 * found too: that depends on the day of reading, on which a stored PDF must not depend.
 */
export const openLinkUrl = `(SELECT l.url FROM payment_links l
      WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'active'
        AND l.total = i.total - ${coveredSql} AND l.currency = i.currency ORDER BY l.id DESC LIMIT 1)`;

/** The newest open link of the invoice for what is due now, whose time has not run out; null for none. */
export function usableLink(uow: UnitOfWork, { id, due, currency }: Due & { id: number }): Promise<PaymentLink | null> {
  return PaymentLink.findOne({
    where: {
      companyId: uow.companyId,
      invoiceId: id,
      status: 'active',
      total: due,
      currency,
      expiresAt: { [Op.or]: [{ [Op.is]: null }, { [Op.gt]: uow.now }] },
    },
    order: [['id', 'DESC']],
    transaction: uow.transaction,
  });
}
