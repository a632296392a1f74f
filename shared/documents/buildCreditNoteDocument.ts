import { buildInvoiceDocument, composed } from './buildInvoiceDocument';
import type { CreditNoteDocumentSource, InvoiceDocument } from './InvoiceDocument';
import { isolated } from './isolated';
import { languages } from './languages';
import { localeFormat } from './localeFormat';

/** Fields of an invoice's document that are empty on a credit note. */
const notOfCredit = {
  status: 'sent' as const,
  ...{ payments: [], paidOn: null, paymentUrl: null, payableOnline: null, paymentInstructions: null },
  details: {},
};

/**
 * Makes the document of a loaded credit note: the document of an invoice with another title, the corrected invoice, and nothing to pay.
 * Pure, like {@link buildInvoiceDocument}.
 * @throws {RangeError} when a date or the currency code is malformed.
 */
export function buildCreditNoteDocument({
  creditNoteNumber,
  reason,
  ...source
}: CreditNoteDocumentSource): InvoiceDocument {
  const { invoiceNumber, issueDate, total, locale } = source;
  const document = buildInvoiceDocument({
    ...source,
    ...notOfCredit,
    invoiceNumber: creditNoteNumber,
    dueDate: issueDate,
    ...{ credited: '0.00', due: total },
  });
  const { creditNote } = languages[document.language];
  const number = isolated(invoiceNumber, document.direction);
  // It may stand on a line of its own.
  const date = localeFormat(locale).date(source.invoiceIssueDate).replaceAll(' ', '\u00a0');
  return {
    ...document,
    labels: { ...document.labels, ...creditNote.labels },
    dueDate: '',
    corrects: { invoiceNumber, reason: composed(reason) },
    references: [{ label: creditNote.corrects, value: `${number} (${date})` }],
  };
}
