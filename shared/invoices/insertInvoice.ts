import { insertRow, type UnitOfWork } from '../engine/db';
import { invoiceRules, type InvoiceTimes } from './rules';
import { recordEvent } from '../engine/events';
import { invoiceEvents, invoiceFacts, type InvoiceFacts } from './events';
import type { invoice, InvoiceRecord } from './record';
import { taxRateColumns } from './taxRate';
import type { SeriesState } from '../recurrence';

/** A new invoice's columns; what the company and the clock say is added. Its totals agree with its items. */
export type NewInvoice = Omit<ReturnType<typeof invoice.newColumns>, keyof SeriesState> &
  Pick<InvoiceRecord, 'subtotal' | 'tax' | 'total' | 'currency'> &
  SeriesState &
  InvoiceTimes & {
    frozenParties: string | null;
    /** Of an occurrence: the series and the date that it was made for; null for any other invoice. */
    seriesId: number | null;
    occurrenceDate: string | null;
  };

/** Writes the invoice. Its items, its count, its number and its events are still to come. Returns its id. */
export function insertInvoice(uow: UnitOfWork, invoice: NewInvoice): Promise<number> {
  const { companyId, now } = uow;
  const row = {
    companyId,
    ...invoice,
    ...taxRateColumns(invoice.taxRate),
    softDelete: false,
    createdAt: now,
    updatedAt: now,
  };
  return insertRow(uow.sql, 'invoices', { ...row });
}

/** A new invoice that has its number. */
type CreatedInvoice = InvoiceFacts & Pick<NewInvoice, 'seriesId' | 'occurrenceDate'> & { id: number };

/** Records that the invoices were created, and which status they have entered. */
export function recordCreated(uow: UnitOfWork, invoices: readonly CreatedInvoice[]): void {
  for (const { id, seriesId, occurrenceDate, ...invoice } of invoices) {
    const facts = invoiceFacts(invoice);
    const origin = seriesId !== null && occurrenceDate !== null && { seriesId, occurrenceDate };
    const { entered } = invoiceRules[invoice.status];
    recordEvent(uow, invoiceEvents.created, id, { ...facts, ...origin });
    if (entered !== null) recordEvent(uow, entered, id, { ...facts, from: null });
  }
}
