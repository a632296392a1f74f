import { toSqlTime, type UnitOfWork } from '../engine/db';
import { countRecord } from '../engine/records';
import { invoiceTotals } from './invoiceTotals';
import { invoiceRules, neverSentNorPaid, timesAfter } from './rules';
import { ValidationFailed } from '../engine/errors';
import { checkSeriesRequest, noSeries, seriesAfter } from '../recurrence';
import { insertDetails } from '../details';
import { checkDetails, invoiceDetails } from './details';
import { giveNextNumber, takeInvoiceNumber, type UnnumberedInvoice } from './assignInvoiceNumber';
import { insertInvoice, recordCreated } from './insertInvoice';
import { invoice, invoiceItem, type InvoiceInput, type InvoiceRecord } from './record';
import { freezeParties } from './parties';
import { lastOf, writeItems } from './writeItems';

/**
 * Creates an invoice with computed totals in the given status, and returns it as GET would.
 * @throws {ValidationFailed} for a client that is not this company's (or is deleted), dates in the wrong order, totals out of bounds;
 * {@link Conflict} `external_id_taken` or `duplicate_invoice_number`.
 */
export async function createInvoice(uow: UnitOfWork, input: InvoiceInput): Promise<InvoiceRecord> {
  checkDates(input.issueDate, input.dueDate);
  const given = invoice.newColumns(input);
  const { status, taxRate } = given;
  const { amounts, ...totals } = invoiceTotals({ taxRate, items: input.items });
  const { invoiceNumberFormat, currency, ...client } = await companyAndClient(uow, input.clientId);
  const subject = { date: input.issueDate, dateField: 'issueDate' } as const;
  const columns = { currency, ...given, ...totals, ...(await seriesAfter(uow, noSeries, input, subject)) };
  const times = timesAfter(status, neverSentNorPaid, uow.now);
  const id = await insertInvoice(uow, {
    ...columns,
    frozenParties: invoiceRules[status].freezesParties ? await freezeParties(uow, input.clientId) : null,
    ...times,
    seriesId: null,
    occurrenceDate: null,
  });
  const items = input.items.map((item) => invoiceItem.newColumns(item));
  const firstItemId = await writeItems(uow, id, items, amounts);
  await insertDetails(uow, invoiceDetails, [{ id, given: input.details }]);
  const lastItem = lastOf(items.length, firstItemId);
  const unnumbered = { id, status, issueDate: input.issueDate, lastItem };
  const { invoiceNumber, isItemThere } = await giveNumber(uow, unnumbered, input.invoiceNumber, invoiceNumberFormat);
  const itemIds = isItemThere ? items.map((_, position) => firstItemId + position) : await readItemIds(uow, id);
  const at = toSqlTime(uow.now);
  const created: InvoiceRecord = {
    ...columns,
    ...client,
    ...{ id, companyId: uow.companyId, invoiceNumber, gatewayInvoiceId: null, gatewayInvoiceUrl: null, softDelete: 0 },
    ...{ createdAt: at, updatedAt: at, paidAt: times.paidAt && toSqlTime(times.paidAt) },
    items: items.map((item, position) => ({
      ...item,
      ...{ id: itemIds[position] ?? 0, invoiceId: id, amount: amounts[position] ?? '', createdAt: at, updatedAt: at },
    })),
  };
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

type CompanyAndClient = Pick<InvoiceRecord, 'currency' | 'clientName' | 'clientEmail' | 'clientUpdatedAt'> & {
  invoiceNumberFormat: string;
};

/** Reads what the company and the client give to a new invoice. @throws {ValidationFailed} for a client that cannot be invoiced. */
async function companyAndClient(uow: UnitOfWork, clientId: number): Promise<CompanyAndClient> {
  const [found] = await uow.sql.rows<CompanyAndClient>(
    `SELECT o.currency, o.invoiceNumberFormat, c.name AS clientName, c.email AS clientEmail, c.updatedAt AS clientUpdatedAt
       FROM companies o JOIN clients c ON c.companyId = o.id WHERE o.id = ? AND c.id = ? AND c.softDelete = 0`,
    [uow.companyId, clientId],
  );
  if (found === undefined) throw unknownClient();
  return found;
}

/** The same for absent, deleted and another company's. */
export function unknownClient(): ValidationFailed {
  return ValidationFailed.at('clientId', 'is not a client of this company');
}

/** As late as possible, since a sequence that is locked makes every other create of the company wait until the commit. */
async function giveNumber(
  uow: UnitOfWork,
  unnumbered: UnnumberedInvoice,
  chosen: string | undefined,
  format: string,
): Promise<{ invoiceNumber: string; isItemThere: boolean }> {
  if (chosen === undefined) return giveNextNumber(uow, unnumbered, format);
  const { id, status } = unnumbered;
  await countRecord(uow, 'invoice', null, { status, softDelete: false });
  await takeInvoiceNumber(uow, id, chosen);
  return { invoiceNumber: chosen, isItemThere: false };
}

/** Returns the ids of an invoice's items in their order. */
async function readItemIds({ sql, companyId }: UnitOfWork, invoiceId: number): Promise<number[]> {
  const rows = await sql.rows<{ id: number }>(
    'SELECT id FROM invoice_items WHERE companyId = ? AND invoiceId = ? ORDER BY position',
    [companyId, invoiceId],
  );
  return rows.map(({ id }) => id);
}
