import type { InvoiceDocument, InvoiceDocumentSource, Party } from './InvoiceDocument';
import { labels } from './labels';
import { localeFormat } from './localeFormat';

/**
 * Turns a loaded invoice into what its reader sees. Pure: the same source gives the same document on every process and
 * day. Amounts are the source's own figures, written out, never computed again.
 * @throws {RangeError} when a date or the currency code is malformed.
 */
export function buildInvoiceDocument(source: InvoiceDocumentSource): InvoiceDocument {
  const format = localeFormat(source.locale);
  const words = labels[format.language];
  return {
    language: format.language,
    labels: words,
    invoiceNumber: source.invoiceNumber,
    status: source.status,
    stamp: source.status === 'sent' ? null : words.stamps[source.status],
    issueDate: format.date(source.issueDate),
    dueDate: format.date(source.dueDate),
    currency: source.currency,
    items: source.items.map((item) => ({
      description: composed(item.description),
      quantity: format.number(item.quantity),
      unitPrice: format.figure(item.unitPrice),
      amount: format.figure(item.amount),
    })),
    subtotal: format.amount(source.subtotal, source.currency),
    taxRate: `${format.number(source.taxRate)}%`,
    tax: format.amount(source.tax, source.currency),
    total: format.amount(source.total, source.currency),
    notes: composed(source.notes),
    sender: printedParty(source.sender),
    client: printedParty(source.client),
    logoKey: source.logoKey,
    paymentUrl: source.paymentUrl !== null && /^https?:\/\//i.test(source.paymentUrl) ? source.paymentUrl : null,
  };
}

function printedParty(party: Party): Party {
  return {
    name: composed(party.name),
    email: party.email,
    phone: party.phone,
    address: party.address === null ? null : composed(party.address),
    taxId: party.taxId,
  };
}

/** One code point a letter where there is one: fonts have `ế` rather than `e` and two accents. */
function composed(text: string): string {
  return text.normalize('NFC');
}
