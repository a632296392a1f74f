import { fromSqlTime, type UnitOfWork } from '../engine/db';
import { formatDecimal, parseDecimal, type Hundredths } from '../money/money';
import type { Payment } from './Payment';

/** What an invoice asks for: its total without what credit notes take back. */
export interface Asked {
  total: string;
  credited: string;
  currency: string;
}

/** What of an invoice is paid: decimals with two places, never negative. `total` + `excess` = `credited` + `paid` + `due`. */
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

/** SQL: what the payments of the invoice `i` cover of its total, as a decimal. */
export const coveredSql = `(SELECT COALESCE(SUM(b.settles), 0) FROM payments b FORCE INDEX (payments_by_invoice)
      WHERE b.companyId = i.companyId AND b.invoiceId = i.id AND ${countsSql})`;

/** SQL: what the payments of the invoice `i` covered at an instant, the value of both placeholders. One that was voided later counted then. */
export const coveredThenSql = `(SELECT COALESCE(SUM(b.settles), 0) FROM payments b FORCE INDEX (payments_by_invoice)
      WHERE b.companyId = i.companyId AND b.invoiceId = i.id AND b.currency = i.currency
        AND b.paidAt < ? AND (b.voidedAt IS NULL OR b.voidedAt >= ?))`;

const askedBy = ({ total, credited }: Asked): Hundredths => parseDecimal(total) - parseDecimal(credited);

/** Returns the balance of an invoice of which payments cover `covered`. */
export function balanceOf(asked: Asked, covered: Hundredths): Balance {
  const { total, credited, currency } = asked;
  const due = askedBy(asked) - covered;
  const decimal = (amount: Hundredths): string => formatDecimal(amount > 0n ? amount : 0n);
  return { total, credited, paid: formatDecimal(covered), due: decimal(due), excess: decimal(-due), currency };
}

/**
 * Returns the payments that count for an invoice: in its currency, and not voided. The caller holds the invoice's lock, under which
 * payments are recorded and voided: the balance computed of them is the balance at the commit.
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

/** Returns what payments cover together. */
export function coveredBy(payments: Counted): Hundredths {
  return payments.reduce((sum, { settles }) => sum + parseDecimal(settles), 0n);
}

/**
 * Returns when payments covered what an invoice asks for: the time of the payment that did; null as long as they do not, or where
 * there are none.
 */
export function coveredAt(payments: Counted, asked: Asked): Date | null {
  let left = askedBy(asked);
  for (const { settles, paidAt } of payments) {
    left -= parseDecimal(settles);
    if (left <= 0n) return paidAt;
  }
  return null;
}

/** Returns what is due of a locked invoice: a decimal with two places, not negative. */
export async function dueOf(uow: UnitOfWork, invoice: Asked & { id: number }): Promise<string> {
  return balanceOf(invoice, coveredBy(await countedPayments(uow, invoice))).due;
}
