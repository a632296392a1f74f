import type { InvoiceDocument, InvoiceDocumentSource, Party } from './InvoiceDocument';
import { languages } from './languages';
import { localeFormat } from './localeFormat';

/**
 * Turns a loaded invoice into what its reader sees. Pure: the same source gives the same document on every process and
 * day. Amounts are the source's own figures, written out, never computed again.
 * @throws {RangeError} when a date or the currency code is malformed.
 */
export function buildInvoiceDocument(source: InvoiceDocumentSource): InvoiceDocument {
  const format = localeFormat(source.locale);
  const money = format.money(source.currency);
  const { direction, labels } = languages[format.language];
  return {
    language: format.language,
    direction,
    labels,
    invoiceNumber: source.invoiceNumber,
    status: source.status,
    stamp: source.status === 'sent' ? null : labels.stamps[source.status],
    issueDate: format.date(source.issueDate),
    dueDate: format.date(source.dueDate),
    currency: source.currency,
    items: source.items.map((item) => ({
      description: composed(item.description),
      quantity: format.number(item.quantity),
      unitPrice: money.figure(item.unitPrice),
      amount: money.figure(item.amount),
    })),
    taxed: /[1-9]/.test(source.taxRate),
    subtotal: money.amount(source.subtotal),
    taxRate: format.percentage(source.taxRate),
    tax: money.amount(source.tax),
    total: money.amount(source.total),
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
