import type { UnitOfWork } from '../../database/unitOfWork';
import { invoiceTotals } from '../../domain/invoiceTotals';
import { formatDecimal, parseDecimal } from '../../domain/money';
import { ValidationFailed } from '../../errors';
import { seriesAfter } from '../recurrence/seriesAfter';
import { noSeries } from '../recurrence/SeriesState';
import { giveNextNumber, takeInvoiceNumber, writeNumber } from './assignInvoiceNumber';
import { getInvoice } from './getInvoice';
import { insertInvoice } from './insertInvoice';
import type { InvoiceInput } from './InvoiceInput';
import type { InvoiceRecord } from './InvoiceRecord';
import { freezeParties } from './parties';
import { writeItems } from './writeItems';

/**
 * Creates an invoice with computed totals, in whatever status is given, and answers it as GET would.
 * @throws {ValidationFailed} for a client that is not this company's (or is deleted), dates in the wrong order, totals out of
 * bounds; {@link Conflict} `duplicate_invoice_number`.
 */
export async function createInvoice(uow: UnitOfWork, input: InvoiceInput): Promise<InvoiceRecord> {
  checkDates(input.issueDate, input.dueDate);
  const taxRate = formatDecimal(parseDecimal(input.taxRate ?? 0));
  const { amounts, subtotal, tax, total } = invoiceTotals({ taxRate, items: input.items });
  const company = await companyAndClient(uow, input.clientId);
  const subject = { date: input.issueDate, dateField: 'issueDate' } as const;
  const status = input.status ?? 'draft';
  const id = await insertInvoice(uow, {
    clientId: input.clientId,
    status,
    issueDate: input.issueDate,
    dueDate: input.dueDate,
    subtotal,
    tax,
    taxRate,
    total,
    notes: input.notes ?? '',
    currency: input.currency ?? company.currency,
    ...(await seriesAfter(uow, noSeries, input, subject)),
    frozenParties: status === 'draft' ? null : await freezeParties(uow, input.clientId),
    sentAt: status === 'sent' ? uow.now : null,
    paidAt: status === 'paid' ? uow.now : null,
    seriesId: null,
    occurrenceDate: null,
  });
  await writeItems(uow, id, input.items, amounts);
  const created = await getInvoice(uow.sql, uow.companyId, id);
  created.invoiceNumber = await giveNumber(uow, id, input, company.invoiceNumberFormat);
  return created;
}

/** @throws {ValidationFailed} when the due date is before the issue date. */
export function checkDates(issueDate: string, dueDate: string): void {
  if (dueDate < issueDate) throw ValidationFailed.at('dueDate', 'must not be before issueDate');
}

interface CompanyDefaults {
  currency: string;
  invoiceNumberFormat: string;
  clientId: number | null;
}

/** The company's defaults, and in the same round trip whether the client can be invoiced. */
async function companyAndClient(uow: UnitOfWork, clientId: number): Promise<CompanyDefaults> {
  const [company] = await uow.sql.rows<CompanyDefaults>(
    `SELECT o.currency, o.invoiceNumberFormat, c.id AS clientId FROM companies o
       LEFT JOIN clients c ON c.companyId = o.id AND c.id = ? AND c.softDelete = 0 WHERE o.id = ?`,
    [clientId, uow.companyId],
  );
  if (company === undefined || company.clientId === null) throw unknownClient();
  return company;
}

/** The same for absent, deleted and another company's. */
export function unknownClient(): ValidationFailed {
  return ValidationFailed.at('clientId', 'is not a client of this company');
}

/** Last of all, since a sequence that is locked makes every other create of the company wait until the commit. */
async function giveNumber(uow: UnitOfWork, invoiceId: number, input: InvoiceInput, format: string): Promise<string> {
  if (input.invoiceNumber === undefined) return giveNextNumber(uow, invoiceId, format, input.issueDate);
  await takeInvoiceNumber(uow, invoiceId, input.invoiceNumber);
  await writeNumber(uow, invoiceId, input.invoiceNumber);
  return input.invoiceNumber;
}
