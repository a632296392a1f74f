import { Client, InvoiceItem, type Invoice } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { invoiceTotals } from '../../domain/invoiceTotals';
import { formatDecimal, parseDecimal } from '../../domain/money';
import { NotFound } from '../../errors';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { changedFields, recordEvent } from '../recordEvent';
import { seriesAfter } from '../recurrence/seriesAfter';
import { takeInvoiceNumber } from './assignInvoiceNumber';
import { checkDates, unknownClient } from './createInvoice';
import { expireUnwantedLinks } from './expireUnwantedLinks';
import { getInvoice } from './getInvoice';
import type { InvoiceChanges, InvoiceItemInput } from './InvoiceInput';
import type { InvoiceRecord } from './InvoiceRecord';
import { checkIfMatch, findLocked } from './lockInvoice';
import { freezeParties } from './parties';
import { setStatus } from './setStatus';
import { writeItems } from './writeItems';

/**
 * Changes what is given, replaces the items when there are any, and recomputes the totals. `updatedAt` grows also when
 * nothing else changed.
 * @throws {ValidationFailed}, {@link NotFound}, {@link PreconditionFailed}, {@link Conflict}, in this order.
 */
export async function updateInvoice(
  uow: UnitOfWork,
  invoiceId: number,
  changes: InvoiceChanges,
  ifMatch: string | null = null,
): Promise<InvoiceRecord> {
  const found = await findLocked(uow, invoiceId);
  const invoice = found?.softDelete === true ? null : found;
  if (changes.clientId !== undefined && changes.clientId !== invoice?.clientId) {
    await checkClient(uow, changes.clientId);
  }
  if (invoice === null) throw new NotFound('invoice');
  await checkIfMatch(uow, invoice, ifMatch);
  checkDates(changes.issueDate ?? invoice.issueDate, changes.dueDate ?? invoice.dueDate);

  const before = plain(invoice);
  if (changes.invoiceNumber !== undefined && changes.invoiceNumber !== invoice.invoiceNumber) {
    await takeInvoiceNumber(uow, invoice.id, changes.invoiceNumber);
  }
  assign(invoice, changes);
  const subject = { date: invoice.issueDate, dateField: 'issueDate' } as const;
  Object.assign(invoice, await seriesAfter(uow, invoice, changes, subject));
  await recompute(uow, invoice, changes.items);
  if (changes.clientId !== undefined && changes.clientId !== before.clientId && invoice.frozenParties !== null) {
    invoice.frozenParties = await freezeParties(uow, invoice.clientId);
  }
  if (changes.status !== undefined) await setStatus(uow, invoice, changes.status);
  await expireUnwantedLinks(uow, invoice);
  invoice.updatedAt = nextUpdatedAt(uow.now, invoice.updatedAt);
  await invoice.save({ transaction: uow.transaction });
  const changed = { ...changedFields(before, plain(invoice)), ...(changes.items && { items: 'replaced' }) };
  await recordEvent(uow, 'invoice.updated', { type: 'invoice', id: invoice.id }, { changed });
  return getInvoice(uow.sql, uow.companyId, invoice.id);
}

async function checkClient(uow: UnitOfWork, id: number): Promise<void> {
  const { companyId, transaction } = uow;
  if ((await Client.count({ where: { companyId, id, softDelete: false }, transaction })) === 0) throw unknownClient();
}

function assign(invoice: Invoice, changes: InvoiceChanges): void {
  const { clientId, invoiceNumber, issueDate, dueDate, notes, currency, taxRate } = changes;
  if (clientId !== undefined) invoice.clientId = clientId;
  if (invoiceNumber !== undefined) invoice.invoiceNumber = invoiceNumber;
  if (issueDate !== undefined) invoice.issueDate = issueDate;
  if (dueDate !== undefined) invoice.dueDate = dueDate;
  if (notes !== undefined) invoice.notes = notes;
  if (currency !== undefined) invoice.currency = currency;
  if (taxRate !== undefined) invoice.taxRate = formatDecimal(parseDecimal(taxRate));
}

/** Totals always come from the items that the invoice then has. */
async function recompute(uow: UnitOfWork, invoice: Invoice, items: InvoiceItemInput[] | undefined): Promise<void> {
  const { companyId, transaction } = uow;
  const where = { companyId, invoiceId: invoice.id };
  const counted = items ?? (await InvoiceItem.findAll({ where, order: ['position'], transaction }));
  const { amounts, subtotal, tax, total } = invoiceTotals({ taxRate: invoice.taxRate, items: counted });
  Object.assign(invoice, { subtotal, tax, total });
  if (items === undefined) return;
  await InvoiceItem.destroy({ where, transaction });
  await writeItems(uow, invoice.id, items, amounts);
}

function plain(invoice: Invoice): Partial<Invoice> & object {
  const {
    frozenParties: _frozen,
    dueAt: _dueAt,
    updatedAt: _updated,
    ...fields
  } = invoice.get({ plain: true }) as Invoice;
  return fields;
}
