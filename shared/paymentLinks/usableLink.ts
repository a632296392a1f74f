import { Op } from 'sequelize';
import { coveredSql } from '../balance';
import type { Clock } from '../engine/clock';
import { type Sql, toSqlTime, type UnitOfWork } from '../engine/db';
import { PaymentLink } from './PaymentLink';

/** SQL: whether the link `l` of the invoice `i` is open, and asks for what is due. */
const isOpenForDue = `l.status = 'active' AND l.total = i.total - i.credited - ${coveredSql} AND l.currency = i.currency`;

/**
 * SQL: the URL of the newest open link `l` of the invoice `i` for what is due, or NULL. A link whose time has run out is
 * found too: that depends on the day of reading, on which a stored PDF must not depend.
 */
export const openLinkUrl = `(SELECT l.url FROM payment_links l
      WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND ${isOpenForDue} ORDER BY l.id DESC LIMIT 1)`;

/** Locks the invoice, and tests whether this link is open and asks for what is due. */
export async function isForDue({ sql, companyId }: UnitOfWork, invoiceId: number, linkId: number): Promise<boolean> {
  const found = await sql.rows(
    `SELECT STRAIGHT_JOIN l.id FROM invoices i JOIN payment_links l ON l.companyId = i.companyId AND l.invoiceId = i.id
      WHERE i.companyId = ? AND i.id = ? AND l.id = ? AND ${isOpenForDue} FOR UPDATE`,
    [companyId, invoiceId, linkId],
  );
  return found.length > 0;
}

/** Returns the URL at which the invoice can be paid now; null if a link has to be created first. */
export async function usableLinkUrl(
  { sql, clock }: { sql: Sql; clock: Clock },
  companyId: number,
  invoiceId: number,
): Promise<string | null> {
  const [link] = await sql.rows<{ url: string }>(
    `SELECT l.url FROM invoices i JOIN payment_links l ON l.companyId = i.companyId AND l.invoiceId = i.id
      WHERE i.companyId = ? AND i.id = ? AND ${isOpenForDue} AND (l.expiresAt IS NULL OR l.expiresAt > ?)
      ORDER BY l.id DESC LIMIT 1`,
    [companyId, invoiceId, toSqlTime(clock.now())],
  );
  return link?.url ?? null;
}

/** Returns the newest open link for the amount `due`, a decimal with two places, that has not expired; null for none. */
export function usableLink(
  uow: UnitOfWork,
  { id, due, currency }: { id: number; due: string; currency: string },
): Promise<PaymentLink | null> {
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
