import type { UnitOfWork } from '../engine/db';
import { saveChanged } from '../engine/records';
import type { Invoice } from './Invoice';
import { keepLogo } from '../companies';
import { freezeParties, type Parties } from './parties';
import { invoiceKind } from './record';
import { invoiceRules, statusWhenSent, timesAfter } from './rules';
import type { InvoiceStatus } from './statuses';

export interface Move {
  /** When the invoice was paid, where a payment says so. */
  paidAt?: Date;
  /** Further changes with the status. */
  columns?: Partial<Pick<Invoice, 'frozenParties' | 'gatewayInvoiceId' | 'gatewayInvoiceUrl'>>;
}

/**
 * Moves a locked invoice to a status without a request to change it (after an e-mail, a payment, a link), and saves it. Records the event
 * of the status, and keeps its count.
 */
export function moveInvoice(
  uow: UnitOfWork,
  invoice: Invoice,
  status: InvoiceStatus,
  { paidAt, columns = {} }: Move = {},
): Promise<void> {
  return saveChanged(uow, invoiceKind, invoice, async () => {
    invoice.set(columns);
    await enterStatus(uow, invoice, status, paidAt);
  });
}

/**
 * Moves a locked draft to `sent` and saves it; the status of any other invoice stays.
 * @param sentParties sender and client as they were sent; without it the present ones are frozen
 */
export async function markSent(
  uow: UnitOfWork,
  invoice: Invoice,
  { sentParties, columns = {} }: { sentParties?: Parties; columns?: Move['columns'] } = {},
): Promise<void> {
  const status = statusWhenSent(invoice.status);
  const isDraft = status !== invoice.status;
  if (!isDraft && Object.keys(columns).length === 0) return;
  const frozen = isDraft && sentParties !== undefined ? { frozenParties: JSON.stringify(sentParties) } : {};
  if (isDraft && sentParties !== undefined) await keepLogo(uow, sentParties.logoKey);
  await moveInvoice(uow, invoice, status, { columns: { ...columns, ...frozen } });
}

/** Sets the frozen parties and times by the rules of a status. The caller saves the invoice. */
export async function enterStatus(
  uow: UnitOfWork,
  invoice: Invoice,
  status: InvoiceStatus,
  paidAt?: Date,
): Promise<void> {
  if (invoice.status === status) return;
  const frozenParties = invoiceRules[status].freezesParties
    ? (invoice.frozenParties ?? (await freezeParties(uow, invoice.clientId)))
    : null;
  invoice.set({ status, frozenParties, ...timesAfter(status, invoice, uow.now, paidAt) });
}
