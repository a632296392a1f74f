import { commonDetails, describeDetails, type Period, periodKind } from '../details';
import { ValidationFailed } from '../engine/errors';
import { type ChangesOf, nullable, optional, value } from '../engine/records';
import { line, text } from '../engine/schemas';

const { externalId, metadata } = commonDetails;
const printedLine = optional(nullable(value(line(100))), null);

const fields = {
  externalId,
  purchaseOrder: printedLine,
  buyerReference: printedLine,
  servicePeriod: optional(nullable(periodKind), null),
  paymentTerms: optional(nullable(value(text(500, 10))), null),
  metadata,
};

/** A PUT: absent fields keep their values. */
export type InvoiceDetailsInput = ChangesOf<typeof fields>;

export const detailsTable = { table: 'invoice_details', owner: 'invoiceId' };
/**
 * The external id of the invoice of a row, as a part of its SELECT: one read of a unique index and no statement of its own. A subquery
 * locks nothing.
 * @param alias of the table `invoices`
 */
export const externalIdSql = (alias: string): string =>
  `(SELECT CONVERT(d.externalId USING utf8mb4) FROM invoice_details d
     WHERE d.companyId = ${alias}.companyId AND d.invoiceId = ${alias}.id)`;

export const invoiceDetails = describeDetails('InvoiceDetails', detailsTable, fields);

/** The details that are printed on the invoice. */
export const printedDetails = ['purchaseOrder', 'buyerReference', 'servicePeriod', 'paymentTerms'] as const;

/** The details that an occurrence copies from its series: not those of one invoice or its period. */
export const copiedDetails = ['purchaseOrder', 'buyerReference', 'paymentTerms', 'metadata'];

/** @throws {ValidationFailed} for a period that ends before it begins. @param path where the details stand in the body */
export function checkDetails({ servicePeriod }: { servicePeriod?: Period | null }, path = ''): void {
  if (servicePeriod && servicePeriod.to < servicePeriod.from) {
    throw ValidationFailed.at(`${path}servicePeriod/to`, 'must not be before from');
  }
}
