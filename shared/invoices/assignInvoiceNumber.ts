import { numberOf, seriesOf } from '../invoiceNumbers/invoiceNumber';
import { isDuplicate, takeNextNumber, type UnitOfWork } from '../engine/db';
import { Conflict } from '../engine/errors';

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

/**
 * Gives an invoice the next number of the company's sequence: gapless (the count rolls back with the transaction), unique
 * under concurrent creates, past numbers that callers took. It locks the sequence, so call it last.
 */
export async function giveNextNumber(
  uow: UnitOfWork,
  invoiceId: number,
  format: string,
  issueDate: string,
): Promise<string> {
  const series = seriesOf(format, issueDate);
  const invoiceNumber = await takeNextNumber(uow, series, {
    ...{ table: 'invoice_numbers', column: 'invoiceNumber' },
    numberOf: (value) => numberOf(series, value),
    take: async (number) => ((await register(uow, invoiceId, number)) ? number : null),
  });
  await writeNumber(uow, invoiceId, invoiceNumber);
  return invoiceNumber;
}

/** Writes a registered number into a new invoice. */
export async function writeNumber(uow: UnitOfWork, invoiceId: number, invoiceNumber: string): Promise<void> {
  await uow.sql.run('UPDATE invoices SET invoiceNumber = ? WHERE companyId = ? AND id = ?', [
    invoiceNumber,
    uow.companyId,
    invoiceId,
  ]);
}

async function register(uow: UnitOfWork, invoiceId: number, invoiceNumber: string): Promise<boolean> {
  try {
    await uow.sql.run('INSERT INTO invoice_numbers (companyId, invoiceNumber, invoiceId) VALUES (?, ?, ?)', [
      uow.companyId,
      invoiceNumber,
      invoiceId,
    ]);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
