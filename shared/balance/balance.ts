import { fromSqlTime, type UnitOfWork } from '../engine/db';
import { formatDecimal, parseDecimal, type Hundredths } from '../money/money';
import type { Payment } from './Payment';

/** The total of an invoice, and the part of it that credit notes take back. */
export interface Asked {
  total: string;
  credited: string;
  currency: string;
}

/** The balance of an invoice: decimals with two places, never negative. `total` + `excess` = `credited` + `paid` + `due`. */
export interface Balance {
  total: string;
  credited: string;
  paid: string;
  due: string;
  excess: string;
  currency: string;
}

/** The payments that count for an invoice, the earliest first. */
export type Counted = readonly Pick<Payment, 'id' | 'amount' | 'settles' | 'reference' | 'paidAt'>[];

/** SQL: whether the payment `b` counts for the invoice `i`. */
export const countsSql = 'b.currency = i.currency AND b.voidedAt IS NULL';

/** SQL: the part of the invoice `i`'s total that its payments cover, as a decimal. */
export const coveredSql = `(SELECT COALESCE(SUM(b.settles), 0) FROM payments b FORCE INDEX (payments_by_invoice)
      WHERE b.companyId = i.companyId AND b.invoiceId = i.id AND ${countsSql})`;

/**
 * SQL: the part that payments of the invoice `i` covered at an instant, which is the value of both placeholders. A payment that was voided
 * later is included.
 */
export const coveredThenSql = `(SELECT COALESCE(SUM(b.settles), 0) FROM payments b FORCE INDEX (payments_by_invoice)
      WHERE b.companyId = i.companyId AND b.invoiceId = i.id AND b.currency = i.currency
        AND b.paidAt < ? AND (b.voidedAt IS NULL OR b.voidedAt >= ?))`;

const askedBy = ({ total, credited }: Asked): Hundredths => parseDecimal(total) - parseDecimal(credited);

/** Returns the balance of an invoice whose payments cover `covered`. */
export function balanceOf(asked: Asked, covered: Hundredths): Balance {
  const { total, credited, currency } = asked;
  const due = askedBy(asked) - covered;
  const decimal = (amount: Hundredths): string => formatDecimal(amount > 0n ? amount : 0n);
  return { total, credited, paid: formatDecimal(covered), due: decimal(due), excess: decimal(-due), currency };
}

/**
 * Returns the payments that count for an invoice: in its currency, and not voided. The caller holds the invoice's lock, which every change
 * of a payment needs, so the balance of these payments is that of the commit.
 */
export async function countedPayments(
  { companyId, sql }: UnitOfWork,
  { id, currency }: { id: number; currency: string },
): Promise<Counted> {
  const payments = await sql.rows<Omit<Counted[number], 'paidAt'> & { paidAt: string }>(
    `SELECT id, amount, settles, reference, paidAt FROM payments FORCE INDEX (payments_by_invoice)
      WHERE companyId = ? AND invoiceId = ? AND currency = ? AND voidedAt IS NULL ORDER BY paidAt, id`,
    [companyId, id, currency],
  );
  return payments.map((payment) => ({ ...payment, paidAt: fromSqlTime(payment.paidAt) }));
}

/** Returns the sum that payments cover. */
export function coveredBy(payments: Counted): Hundredths {
  return payments.reduce((sum, { settles }) => sum + parseDecimal(settles), 0n);
}

/** Returns the time of the payment with which the invoice was covered. Null if payments do not cover it, or there are none. */
export function coveredAt(payments: Counted, asked: Asked): Date | null {
  let left = askedBy(asked);
  for (const { settles, paidAt } of payments) {
    left -= parseDecimal(settles);
    if (left <= 0n) return paidAt;
  }
  return null;
}

/** Returns the amount due of a locked invoice: a decimal with two places, not negative. */
export async function dueOf(uow: UnitOfWork, invoice: Asked & { id: number }): Promise<string> {
  return balanceOf(invoice, coveredBy(await countedPayments(uow, invoice))).due;
}
