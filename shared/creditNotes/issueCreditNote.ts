import { randomUUID } from 'node:crypto';
import { referenceOf } from '../details';
import { type DateOnly, dayIn, readDate } from '../dates/dates';
import { insertRow, insertRows, isDuplicate, takeNextNumber, toSqlTime, type UnitOfWork } from '../engine/db';
import { Conflict, LimitReached, NotFound, ValidationFailed } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { creditInvoice, type Invoice, invoiceRules, lockInvoice } from '../invoices';
import { numberOf, seriesOf } from '../invoiceNumbers/invoiceNumber';
import { formatDecimal, parseDecimal } from '../money/money';
import {
  type CreditableItem,
  type Credited,
  type CreditedItem,
  type CreditLine,
  everythingLeft,
  freeLine,
  lineOf,
  quantityLeft,
  sumOf,
  taxOf,
} from './creditLines';
import { creditNoteEvents } from './events';
import { type CreditNoteInput, type CreditNoteItemInput, type CreditNoteRecord, getCreditNote } from './record';

/** The most credit notes of one invoice: few enough to be summed under its lock. */
const MAX_NOTES = 100;

/**
 * Issues a credit note with the next number of the company's sequence. An unpaid invoice that is credited completely becomes `cancelled`.
 * Links that ask for more than is due are expired. Notes of one invoice are issued one after the other, under its lock.
 * @throws {ValidationFailed}; {@link NotFound}; {@link Conflict} `invoice_is_draft`, `invoice_cancelled`, `credit_exceeds_invoice`; {@link
 * LimitReached} beyond {@link MAX_NOTES}.
 */
export async function issueCreditNote(
  uow: UnitOfWork,
  invoiceId: number,
  { reason, notes = '', issueDate, items: given }: CreditNoteInput,
): Promise<CreditNoteRecord> {
  const { companyId, sql, now } = uow;
  const invoice = await lockInvoice(uow, invoiceId);
  checkCreditable(invoice);
  const { timezone, creditNoteNumberFormat, ...noted } = await companyAndNotes(uow, invoiceId);
  const day = dayOf(invoice, issueDate, dayIn(timezone, now));
  const { all, credited } = await creditable(uow, invoiceId, noted);
  const lines = linesOf(invoice, all, credited, { items: given, reason });
  const sums = { subtotal: parseDecimal(invoice.subtotal), tax: parseDecimal(invoice.tax) };
  const subtotal = sumOf(lines);
  if (subtotal <= 0n) throw ValidationFailed.at('items', 'must sum up to more than 0');
  if (credited.subtotal + subtotal > sums.subtotal) throw exceeds(invoice, credited);
  const tax = taxOf(sums, credited, subtotal);
  const amounts = {
    ...{ subtotal: formatDecimal(subtotal), tax: formatDecimal(tax), total: formatDecimal(subtotal + tax) },
    currency: invoice.currency,
  };
  await creditInvoice(uow, invoice, amounts.total);
  const row = { companyId, invoiceId, issueDate: day, reason, notes, ...amounts, createdAt: toSqlTime(now) };
  // A unique placeholder until the note has its number.
  const id = await insertRow(sql, 'credit_notes', { ...row, creditNoteNumber: randomUUID() });
  const items = lines.map((line, position) => ({ companyId, creditNoteId: id, position, ...line }));
  await insertRows(sql, 'credit_note_items', items);
  const note = await getCreditNote(sql, companyId, id);
  note.creditNoteNumber = await giveNextNumber(uow, id, seriesOf(creditNoteNumberFormat, day));
  recordEvent(uow, creditNoteEvents.issued, invoiceId, {
    ...{ creditNoteId: id, creditNoteNumber: note.creditNoteNumber, invoiceNumber: invoice.invoiceNumber },
    ...{ total: amounts.total, currency: amounts.currency, reason, ...referenceOf(invoice) },
  });
  return note;
}

/** @throws {ValidationFailed} for an item that is neither a quantity of an item nor an amount. */
export function checkCreditNoteBody({ items = [] }: Partial<CreditNoteInput>): void {
  for (const [index, { itemId, quantity, description, amount }] of items.entries()) {
    const isOfItem = itemId !== undefined && quantity !== undefined;
    const isFree = description !== undefined && amount !== undefined;
    const given = [itemId, quantity, description, amount].filter((value) => value !== undefined).length;
    if (given === 2 && (isOfItem || isFree)) continue;
    throw ValidationFailed.at(`items/${index}`, 'must have itemId and quantity, or description and amount');
  }
}

/** @throws {Conflict} `invoice_is_draft`, `invoice_cancelled`. */
function checkCreditable({ status }: Invoice): void {
  if (invoiceRules[status].takesCreditNotes) return;
  if (invoiceRules[status].takesPayments) throw new Conflict('invoice_is_draft', 'a draft is edited instead');
  throw new Conflict('invoice_cancelled', 'a cancelled invoice has nothing to credit');
}

/** @throws {ValidationFailed} for a day before the invoice's. */
function dayOf(invoice: Invoice, given: string | undefined, today: DateOnly): DateOnly {
  const day = given === undefined ? today : readDate(given);
  if (day !== null && day >= invoice.issueDate) return day;
  throw ValidationFailed.at('issueDate', `must not be before the invoice's, ${invoice.issueDate}`);
}

interface CompanyAndNotes {
  timezone: string;
  creditNoteNumberFormat: string;
  subtotal: string;
  tax: string;
}

/** Reads the company's settings and the sums of the invoice's notes in one round trip. @throws {LimitReached} */
async function companyAndNotes({ sql, companyId }: UnitOfWork, invoiceId: number): Promise<CompanyAndNotes> {
  const [found] = await sql.rows<CompanyAndNotes & { count: number }>(
    `SELECT o.timezone, o.creditNoteNumberFormat, n.count, n.subtotal, n.tax FROM companies o
       JOIN (SELECT COUNT(*) AS count, COALESCE(SUM(subtotal), 0) AS subtotal, COALESCE(SUM(tax), 0) AS tax
               FROM credit_notes WHERE companyId = ? AND invoiceId = ?) n
      WHERE o.id = ?`,
    [companyId, invoiceId, companyId],
  );
  if (found === undefined) throw new NotFound('company');
  if (found.count < MAX_NOTES) return found;
  throw new LimitReached('credit_notes', `an invoice has at most ${MAX_NOTES} credit notes`);
}

/** Reads the items of an invoice and their credited parts in one round trip. */
async function creditable(
  { sql, companyId }: UnitOfWork,
  invoiceId: number,
  { subtotal, tax }: Pick<CompanyAndNotes, 'subtotal' | 'tax'>,
): Promise<{ all: CreditableItem[]; credited: Credited }> {
  const all = await sql.rows<CreditableItem & { creditedQuantity: string | null; creditedAmount: string | null }>(
    `SELECT i.id, i.description, i.quantity, i.unitPrice, c.quantity AS creditedQuantity, c.amount AS creditedAmount
       FROM invoice_items i
       LEFT JOIN (SELECT t.itemId, SUM(t.quantity) AS quantity, SUM(t.amount) AS amount FROM credit_notes k
                    JOIN credit_note_items t ON t.companyId = k.companyId AND t.creditNoteId = k.id
                   WHERE k.companyId = ? AND k.invoiceId = ? AND t.itemId IS NOT NULL GROUP BY t.itemId) c ON c.itemId = i.id
      WHERE i.companyId = ? AND i.invoiceId = ? ORDER BY i.position`,
    [companyId, invoiceId, companyId, invoiceId],
  );
  const items = new Map<number, CreditedItem>();
  for (const { id, creditedQuantity, creditedAmount } of all) {
    if (creditedQuantity === null || creditedAmount === null) continue;
    items.set(id, { quantity: parseDecimal(creditedQuantity), amount: parseDecimal(creditedAmount) });
  }
  return { all, credited: { subtotal: parseDecimal(subtotal), tax: parseDecimal(tax), items } };
}

/** @throws {ValidationFailed} for an item of another invoice; {@link Conflict} `credit_exceeds_invoice`. */
function linesOf(
  invoice: Invoice,
  all: readonly CreditableItem[],
  credited: Credited,
  { items, reason }: Pick<CreditNoteInput, 'items' | 'reason'>,
): CreditLine[] {
  const left = parseDecimal(invoice.subtotal) - credited.subtotal;
  if (left === 0n) throw exceeds(invoice, credited);
  if (items === undefined) return everythingLeft(all, credited, left, reason);
  const byId = new Map(all.map((item) => [item.id, item]));
  const soFar = new Map(credited.items);
  return items.map((input, index) => {
    if (input.itemId === undefined) return freeLineOf(input);
    const item = byId.get(input.itemId);
    if (item === undefined) throw ValidationFailed.at(`items/${index}/itemId`, 'is not an item of the invoice');
    const quantity = parseDecimal(input.quantity ?? 0);
    const most = quantityLeft(item, { items: soFar });
    if (quantity > most) {
      const message = `items/${index}/quantity is more than is left of the item, ${formatDecimal(most)}`;
      throw new Conflict('credit_exceeds_invoice', message);
    }
    const before = soFar.get(item.id);
    const line = lineOf(item, quantity, before);
    const amount = (before?.amount ?? 0n) + parseDecimal(line.amount);
    soFar.set(item.id, { quantity: (before?.quantity ?? 0n) + quantity, amount });
    return line;
  });
}

function freeLineOf({ description = '', amount = 0 }: CreditNoteItemInput): CreditLine {
  return freeLine(description, formatDecimal(parseDecimal(amount)));
}

function exceeds({ subtotal }: Invoice, credited: Credited): Conflict {
  const left = formatDecimal(parseDecimal(subtotal) - credited.subtotal);
  return new Conflict('credit_exceeds_invoice', `of the invoice's subtotal, ${left} is left to credit`);
}

/**
 * Gives a note the next number of the series. A number that a note has from an earlier format is skipped. Called as late as possible: the
 * locked sequence makes every other note of the company wait until the commit.
 */
function giveNextNumber(uow: UnitOfWork, id: number, series: string): Promise<string> {
  return takeNextNumber(uow, `credit-note:${series}`, {
    ...{ table: 'credit_notes', column: 'creditNoteNumber' },
    numberOf: (value) => numberOf(series, value),
    take: async (creditNoteNumber) => {
      try {
        await uow.sql.run('UPDATE credit_notes SET creditNoteNumber = ? WHERE companyId = ? AND id = ?', [
          creditNoteNumber,
          uow.companyId,
          id,
        ]);
        return creditNoteNumber;
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
    },
  });
}
