import { balanceOf, countedPayments, coveredAt, coveredBy } from '../balance';
import type { UnitOfWork } from '../engine/db';
import { saveChanged } from '../engine/records';
import { formatDecimal, parseDecimal } from '../money/money';
import { expireUnwantedLinks } from './expireUnwantedLinks';
import type { Invoice } from './Invoice';
import { enterStatus } from './moveInvoice';
import { invoiceKind } from './record';
import { statusFromPayments } from './statusFromPayments';

/**
 * Credits an amount of a locked invoice, and sets its status: `paid` if its payments now cover the rest, `cancelled` if it is unpaid and
 * nothing is left. Expires links with another amount than the new amount due.
 * @param amount a decimal with two places, not above what is left of the total
 */
export async function creditInvoice(uow: UnitOfWork, invoice: Invoice, amount: string): Promise<void> {
  const payments = await countedPayments(uow, invoice);
  const wasCovered = coveredAt(payments, invoice) !== null;
  await saveChanged(uow, invoiceKind, invoice, async () => {
    invoice.credited = formatDecimal(parseDecimal(invoice.credited) + parseDecimal(amount));
    const { status, paidAt } = await statusFromPayments(uow, invoice, payments, wasCovered);
    await enterStatus(uow, invoice, status, paidAt);
  });
  await expireUnwantedLinks(uow, invoice, balanceOf(invoice, coveredBy(payments)).due);
}
