import { isDeepStrictEqual } from 'node:util';
import { type Asked, countedPayments, coveredAt } from '../balance';
import { Client } from '../clients';
import type { UnitOfWork } from '../engine/db';
import { Conflict } from '../engine/errors';
import { changeRecord, deleteRecord } from '../engine/records';
import { parseDecimal } from '../money/money';
import { seriesAfter } from '../recurrence';
import { takeInvoiceNumber } from './assignInvoiceNumber';
import { checkDates, unknownClient } from './createInvoice';
import { expireUnwantedLinks, mustNotBePaid } from './expireUnwantedLinks';
import type { Invoice } from './Invoice';
import { InvoiceItem } from './InvoiceItem';
import { invoiceTotals } from './invoiceTotals';
import { enterStatus } from './moveInvoice';
import { freezeParties } from './parties';
import {
  invoice as description,
  type InvoiceChanges,
  type InvoiceItemInput,
  invoiceItem,
  invoiceKind,
  type InvoiceRecord,
} from './record';
import type { InvoiceRecurrenceChanges } from './recurrence';
import type { InvoiceStatus } from './statuses';
import { statusFromPayments } from './statusFromPayments';
import { writeItems } from './writeItems';

/**
 * Changes the given fields of the invoice and of its recurrence, replaces the items if given, and recomputes the totals. `updatedAt` grows
 * also when nothing else changed.
 * @throws {ValidationFailed}, {@link NotFound}, {@link PreconditionFailed}, {@link Conflict}, in this order.
 */
export function updateInvoice(
  uow: UnitOfWork,
  invoiceId: number,
  changes: InvoiceChanges & InvoiceRecurrenceChanges,
  ifMatch: string | null = null,
): Promise<InvoiceRecord> {
  const { clientId, invoiceNumber, status, items } = changes;
  return changeRecord(uow, invoiceKind, invoiceId, {
    ifMatch,
    ...(items && { replaced: ['items'] }),
    async references(found) {
      if (clientId !== undefined && clientId !== found?.clientId) await checkClient(uow, clientId);
    },
    async apply(invoice) {
      checkDates(changes.issueDate ?? invoice.issueDate, changes.dueDate ?? invoice.dueDate);
      if (invoiceNumber !== undefined && invoiceNumber !== invoice.invoiceNumber) {
        await takeInvoiceNumber(uow, invoice.id, invoiceNumber);
      }
      const before = { ...invoice.get({ plain: true }) };
      // Its status is entered below, by its rules.
      const { status: _, ...columns } = description.toColumns(changes);
      invoice.set(columns);
      const subject = { date: invoice.issueDate, dateField: 'issueDate' } as const;
      invoice.set(await seriesAfter(uow, before, changes, subject));
      invoice.autoSend = invoice.recurring !== 'none' && (changes.autoSend ?? invoice.autoSend);
      await recompute(uow, invoice, items);
      checkCredited(invoice, before, status ?? invoice.status);
      if (invoice.clientId !== before.clientId && invoice.frozenParties !== null) {
        invoice.frozenParties = await freezeParties(uow, invoice.clientId);
      }
      if (status !== undefined && status !== before.status) await enterStatus(uow, invoice, status);
      else await followTotal(uow, invoice, before);
      if (asksOtherwise(invoice, before) || mustNotBePaid(invoice)) await expireUnwantedLinks(uow, invoice);
    },
  });
}

/**
 * Soft-deletes an invoice: its number stays, its open payment links are expired, and a series stops.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export function deleteInvoice(uow: UnitOfWork, invoiceId: number, ifMatch: string | null = null): Promise<void> {
  return deleteRecord(uow, invoiceKind, invoiceId, ifMatch, (invoice) => {
    invoice.dueAt = null;
    return expireUnwantedLinks(uow, invoice);
  });
}

/** @throws {Conflict} `invoice_has_credit_notes` for a change of fields that its credit notes repeat. */
function checkCredited(
  invoice: Invoice,
  before: Asked & Pick<Invoice, 'clientId' | 'taxRate' | 'subtotal' | 'invoiceNumber' | 'issueDate'>,
  status: InvoiceStatus,
): void {
  if (!isCredited(invoice)) return;
  const { subtotal, taxRate, currency } = before;
  const isSame = invoice.subtotal === subtotal && invoice.taxRate === taxRate && invoice.currency === currency;
  if (!isSame) throw hasCreditNotes('its tax rate and currency');
  // The notes name both, and are addressed to the client.
  const isNamed = invoice.invoiceNumber === before.invoiceNumber && invoice.issueDate === before.issueDate;
  if (!isNamed) throw hasCreditNotes('its number and issue date');
  if (invoice.clientId !== before.clientId) throw hasCreditNotes('its client');
  if (status === 'draft') throw hasCreditNotes('whether it was sent');
}

const isCredited = ({ credited }: Pick<Asked, 'credited'>): boolean => parseDecimal(credited) !== 0n;

function hasCreditNotes(what: string): Conflict {
  return new Conflict('invoice_has_credit_notes', `the invoice has credit notes: ${what} cannot be changed any more`);
}

/** A changed total is compared with the payments again. */
async function followTotal(uow: UnitOfWork, invoice: Invoice, before: Asked & { id: number }): Promise<void> {
  if (!asksOtherwise(invoice, before)) return;
  const paidBefore = await countedPayments(uow, before);
  const payments = invoice.currency === before.currency ? paidBefore : await countedPayments(uow, invoice);
  const wasCovered = coveredAt(paidBefore, before) !== null;
  const { status, paidAt } = await statusFromPayments(uow, invoice, payments, wasCovered);
  await enterStatus(uow, invoice, status, paidAt);
}

function asksOtherwise(invoice: Asked, before: Asked): boolean {
  return invoice.total !== before.total || invoice.currency !== before.currency;
}

async function checkClient(uow: UnitOfWork, id: number): Promise<void> {
  const { companyId, transaction } = uow;
  if ((await Client.count({ where: { companyId, id, softDelete: false }, transaction })) === 0) throw unknownClient();
}

/**
 * Totals always come from the items that the invoice then has. Those that credit notes name stay the rows that they are.
 * @throws {Conflict} `invoice_has_credit_notes` for other items.
 */
async function recompute(uow: UnitOfWork, invoice: Invoice, items: InvoiceChanges['items']): Promise<void> {
  const { companyId, transaction } = uow;
  const where = { companyId, invoiceId: invoice.id };
  const isReplaced = items !== undefined && !isCredited(invoice);
  const counted = isReplaced ? items : await InvoiceItem.findAll({ where, order: ['position'], transaction });
  if (items !== undefined && !isReplaced && !isDeepStrictEqual(items.map(termsOf), counted.map(termsOf))) {
    throw hasCreditNotes('its items');
  }
  const { amounts, ...totals } = invoiceTotals({ taxRate: invoice.taxRate, items: counted });
  invoice.set(totals);
  if (!isReplaced) return;
  await InvoiceItem.destroy({ where, transaction });
  const columns = items.map((item) => invoiceItem.newColumns(item));
  await writeItems(uow, invoice.id, columns, amounts);
}

/** The agreed fields of an item. */
const termsOf = ({ description, quantity, unitPrice }: InvoiceItemInput): unknown[] => [
  ...[description, parseDecimal(quantity), parseDecimal(unitPrice)],
];
