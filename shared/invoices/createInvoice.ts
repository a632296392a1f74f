import type { UnitOfWork } from '../engine/db';
import { invoiceTotals } from './invoiceTotals';
import { invoiceRules, neverSentNorPaid, timesAfter } from './rules';
import { ValidationFailed } from '../engine/errors';
import { checkSeriesRequest, noSeries, seriesAfter } from '../recurrence';
import { insertDetails } from '../details';
import { checkDetails, invoiceDetails } from './details';
import { giveNextNumber, takeInvoiceNumber, writeNumber } from './assignInvoiceNumber';
import { insertInvoice, recordCreated } from './insertInvoice';
import { getInvoice, invoice, type InvoiceInput, type InvoiceRecord } from './record';
import { freezeParties } from './parties';
import { writeItems } from './writeItems';

/**
 * Creates an invoice with computed totals in the given status, and returns it as GET would.
 * @throws {ValidationFailed} for a client that is not this company's (or is deleted), dates in the wrong order, totals out of bounds;
 * {@link Conflict} `external_id_taken` or `duplicate_invoice_number`.
 */
export async function createInvoice(uow: UnitOfWork, input: InvoiceInput): Promise<InvoiceRecord> {
  checkDates(input.issueDate, input.dueDate);
  // The number comes last.
  const { invoiceNumber: _, ...columns } = invoice.newColumns(input);
  const { status, taxRate } = columns;
  const { amounts, ...totals } = invoiceTotals({ taxRate, items: input.items });
  const company = await companyAndClient(uow, input.clientId);
  const subject = { date: input.issueDate, dateField: 'issueDate' } as const;
  const id = await insertInvoice(uow, {
    currency: company.currency,
    ...columns,
    ...totals,
    ...(await seriesAfter(uow, noSeries, input, subject)),
    frozenParties: invoiceRules[status].freezesParties ? await freezeParties(uow, input.clientId) : null,
    ...timesAfter(status, neverSentNorPaid, uow.now),
    seriesId: null,
    occurrenceDate: null,
  });
  await writeItems(uow, id, input.items, amounts);
  await insertDetails(uow, invoiceDetails, [{ id, given: input.details }]);
  const created = await getInvoice(uow.sql, uow.companyId, id);
  created.invoiceNumber = await giveNumber(uow, id, input, company.invoiceNumberFormat);
  const externalId = input.details?.externalId ?? null;
  recordCreated(uow, [{ ...created, externalId, seriesId: null, occurrenceDate: null }]);
  return created;
}

/** @throws {ValidationFailed} for dates or totals that are wrong for every invoice. */
export function checkInvoiceBody({ issueDate, dueDate, taxRate, items, ...changes }: Partial<InvoiceInput>): void {
  checkSeriesRequest(changes, { date: issueDate, dateField: 'issueDate' });
  if (issueDate !== undefined && dueDate !== undefined) checkDates(issueDate, dueDate);
  if (changes.details !== undefined) checkDetails(changes.details, 'details/');
  if (items !== undefined) invoiceTotals({ taxRate: taxRate ?? 0, items });
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

/** Reads the company's defaults, and in the same round trip whether the client can be invoiced. */
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

/** As late as possible, since a sequence that is locked makes every other create of the company wait until the commit. */
async function giveNumber(uow: UnitOfWork, invoiceId: number, input: InvoiceInput, format: string): Promise<string> {
  if (input.invoiceNumber === undefined) return giveNextNumber(uow, invoiceId, format, input.issueDate);
  await takeInvoiceNumber(uow, invoiceId, input.invoiceNumber);
  await writeNumber(uow, invoiceId, input.invoiceNumber);
  return input.invoiceNumber;
}
