import { insertRow } from '../kernel/database/insert';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { invoiceRules, type InvoiceTimes } from './rules';
import { countRecord } from '../kernel/records/recordCounts';
import { recordEvent } from '../kernel/events/recordEvent';
import { invoiceEvents } from './events';
import type { invoice, InvoiceRecord } from './record';
import type { SeriesState } from '../recurrence';

/** A new invoice's columns; what the company and the clock say is added. Its totals agree with its items. */
export type NewInvoice = Omit<ReturnType<typeof invoice.newColumns>, keyof SeriesState | 'invoiceNumber'> &
  Pick<InvoiceRecord, 'subtotal' | 'tax' | 'total' | 'currency'> &
  SeriesState &
  InvoiceTimes & {
    frozenParties: string | null;
    /** Of an occurrence: the series and the date that it was made for; null for any other invoice. */
    seriesId: number | null;
    occurrenceDate: string | null;
  };

/** Writes the invoice, its events and its count; items and number are still to come. Returns its id. */
export async function insertInvoice(uow: UnitOfWork, invoice: NewInvoice): Promise<number> {
  const { companyId, now } = uow;
  const row = { companyId, ...invoice, softDelete: false, createdAt: now, updatedAt: now };
  const id = await insertRow(uow.sql, 'invoices', { ...row });
  const { status, total, seriesId, occurrenceDate } = invoice;
  const data = { status, total, ...(seriesId !== null && occurrenceDate !== null && { seriesId, occurrenceDate }) };
  await recordEvent(uow, invoiceEvents.created, id, data);
  const { entered } = invoiceRules[status];
  if (entered !== null) await recordEvent(uow, entered, id, { from: null });
  await countRecord(uow, 'invoice', null, { status, softDelete: false });
  return id;
}
