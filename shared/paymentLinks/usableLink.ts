import { Op } from 'sequelize';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { PaymentLink } from './PaymentLink';

/** An amount that a link was made for, or that an invoice asks for now. */
interface Asked {
  total: string;
  currency: string;
}

/** A link is for the invoice as long as the invoice asks for the same amount. */
export const asksTheSame = (invoice: Asked, link: Asked): boolean =>
  invoice.total === link.total && invoice.currency === link.currency;

/**
 * SQL: the URL of the newest open link `l` of the invoice `i` for what it asks now, or NULL. A link whose time has run out is
 * found too: that depends on the day of reading, on which a stored PDF must not depend.
 */
export const openLinkUrl = `(SELECT l.url FROM payment_links l
      WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'active'
        AND l.total = i.total AND l.currency = i.currency ORDER BY l.id DESC LIMIT 1)`;

/** The newest open link of the invoice for what it asks now, whose time has not run out; null for none. */
export function usableLink(
  uow: UnitOfWork,
  { id, total, currency }: Asked & { id: number },
): Promise<PaymentLink | null> {
  return PaymentLink.findOne({
    where: {
      companyId: uow.companyId,
      invoiceId: id,
      status: 'active',
      total,
      currency,
      expiresAt: { [Op.or]: [{ [Op.is]: null }, { [Op.gt]: uow.now }] },
    },
    order: [['id', 'DESC']],
    transaction: uow.transaction,
  });
}
