import { numberOf, partsOf, seriesOf } from '../invoiceNumbers/invoiceNumber';
import { isDuplicate, takeNextNumber, type UnitOfWork } from '../engine/db';
import { Conflict } from '../engine/errors';
import { countOf, countRecord } from '../engine/records';
import type { InvoiceStatus } from './statuses';

/**
 * Registers the number that a caller chose. A number once used in a company stays used, also by deleted invoices and
 * after an invoice was given another one; an invoice may take its own old number back.
 * @throws {Conflict} `duplicate_invoice_number`
 */
export async function takeInvoiceNumber(uow: UnitOfWork, invoiceId: number, invoiceNumber: string): Promise<void> {
  if (await register(uow, invoiceId, invoiceNumber)) return;
  const [owner] = await uow.sql.rows<{ invoiceId: number }>(
    'SELECT invoiceId FROM invoice_numbers WHERE companyId = ? AND invoiceNumber = ?',
    [uow.companyId, invoiceNumber],
  );
  if (owner?.invoiceId === invoiceId) return;
  throw new Conflict('duplicate_invoice_number', `invoice number "${invoiceNumber}" is already used`);
}

/** A new invoice that is complete but for its number, and is in no count yet. */
export interface UnnumberedInvoice {
  id: number;
  status: InvoiceStatus;
  issueDate: string;
  lastItem: ItemPlace;
}

/** The id that an item is expected to have. */
export interface ItemPlace {
  position: number;
  id: number;
}

/**
 * Counts a new invoice, and gives it the next number of the company's sequence: gapless (the count rolls back with the transaction), unique
 * under concurrent creates, past numbers that callers took. It locks the sequence, so call it last. Also returns whether the last item is
 * known to have the expected id.
 */
export async function giveNextNumber(
  uow: UnitOfWork,
  invoice: UnnumberedInvoice,
  format: string,
): Promise<{ invoiceNumber: string; isItemThere: boolean }> {
  const series = seriesOf(format, invoice.issueDate);
  const value = await countAndNumber(uow, invoice, series);
  const isItemThere = value !== null;
  if (value === null) await countRecord(uow, 'invoice', null, { status: invoice.status, softDelete: false });
  else if (await registerWritten(uow, invoice.id, numberOf(series, value))) {
    return { invoiceNumber: numberOf(series, value), isItemThere };
  }
  const invoiceNumber = await takeNextNumber(uow, series, {
    ...{ table: 'invoice_numbers', column: 'invoiceNumber' },
    numberOf: (next) => numberOf(series, next),
    take: async (number) => ((await register(uow, invoice.id, number)) ? number : null),
  });
  await uow.sql.run('UPDATE invoices SET invoiceNumber = ? WHERE companyId = ? AND id = ?', [
    invoiceNumber,
    uow.companyId,
    invoice.id,
  ]);
  return { invoiceNumber, isItemThere };
}

/**
 * Raises count and sequence, and writes the number, in one round trip: other creates of the company wait while the sequence is locked.
 * Returns the value that was taken, or null where there is no such row yet (the first invoice of a series, or of a status on this
 * connection), or where the last item has another id. Then nothing is changed.
 */
async function countAndNumber(
  { sql, companyId }: UnitOfWork,
  { id, status, lastItem }: UnnumberedInvoice,
  series: string,
): Promise<number | null> {
  const { prefix, digits, suffix } = partsOf(series);
  const counted = countOf('n', companyId, 'invoice', { status, softDelete: false });
  const { affectedRows, insertId } = await sql.run(
    `UPDATE record_counts n STRAIGHT_JOIN invoices i STRAIGHT_JOIN invoice_items t STRAIGHT_JOIN number_sequences s
        SET n.total = n.total + 1,
            i.invoiceNumber = CONCAT(?, LPAD(s.nextValue, GREATEST(?, LENGTH(s.nextValue)), '0'), ?),
            s.nextValue = LAST_INSERT_ID(s.nextValue) + 1
      WHERE ${counted.text} AND i.companyId = ? AND i.id = ?
        AND t.companyId = ? AND t.invoiceId = ? AND t.position = ? AND t.id = ? AND s.companyId = ? AND s.series = ?`,
    [
      ...[prefix, digits, suffix, ...counted.values, companyId, id],
      ...[companyId, id, lastItem.position, lastItem.id, companyId, series],
    ],
  );
  return affectedRows > 0 ? insertId : null;
}

/**
 * Registers the number that was written into an invoice. Servers do not promise the order of the assignments of one UPDATE, so the text is
 * compared.
 */
async function registerWritten(uow: UnitOfWork, invoiceId: number, invoiceNumber: string): Promise<boolean> {
  const written = await unlessDuplicate(
    uow.sql.run(
      `INSERT INTO invoice_numbers (companyId, invoiceNumber, invoiceId)
       SELECT companyId, invoiceNumber, id FROM invoices WHERE companyId = ? AND id = ? AND invoiceNumber = ?`,
      [uow.companyId, invoiceId, invoiceNumber],
    ),
  );
  if (written?.affectedRows === 0) throw new Error(`invoice ${invoiceId} did not get the number ${invoiceNumber}`);
  return written !== null;
}

async function register(uow: UnitOfWork, invoiceId: number, invoiceNumber: string): Promise<boolean> {
  const written = await unlessDuplicate(
    uow.sql.run('INSERT INTO invoice_numbers (companyId, invoiceNumber, invoiceId) VALUES (?, ?, ?)', [
      uow.companyId,
      invoiceNumber,
      invoiceId,
    ]),
  );
  return written !== null;
}

/** Returns null where the row is a duplicate. */
async function unlessDuplicate<T>(inserting: Promise<T>): Promise<T | null> {
  try {
    return await inserting;
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}
