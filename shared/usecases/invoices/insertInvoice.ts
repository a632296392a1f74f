import { insertRow } from '../../database/insert';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { InvoiceStatus } from '../../domain/statuses';
import { countRecord } from '../recordCounts';
import { recordEvent } from '../recordEvent';
import type { SeriesState } from '../recurrence/SeriesState';

/** A new invoice's columns; what the company and the clock say is added. Its totals agree with its items. */
export interface NewInvoice extends SeriesState {
  clientId: number;
  status: InvoiceStatus;
  issueDate: string;
  dueDate: string;
  subtotal: string;
  tax: string;
  taxRate: string;
  total: string;
  notes: string;
  currency: string;
  frozenParties: string | null;
  sentAt: Date | null;
  paidAt: Date | null;
  /** The series and the date that an occurrence was made for; null for any other invoice. */
  seriesId: number | null;
  occurrenceDate: string | null;
}

/** Writes the invoice, its event and its count; items and number are still to come. Answers its id. */
export async function insertInvoice(uow: UnitOfWork, invoice: NewInvoice): Promise<number> {
  const { companyId, now } = uow;
  const row = { companyId, ...invoice, softDelete: false, createdAt: now, updatedAt: now };
  const id = await insertRow(uow.sql, 'invoices', { ...row });
  const { status, total, seriesId, occurrenceDate } = invoice;
  const data = { status, total, ...(seriesId !== null && { seriesId, occurrenceDate }) };
  await recordEvent(uow, 'invoice.created', { type: 'invoice', id }, data);
  await countRecord(uow, 'invoice', null, { status, softDelete: false });
  return id;
}
