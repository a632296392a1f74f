import { documentColor } from './brandColor';
import type { InvoiceDocument, InvoiceDocumentSource, Party } from './InvoiceDocument';
import { languages } from './languages';
import type { InvoiceLabels } from './languages/LanguageTexts';
import { localeFormat } from './localeFormat';
import { formatDecimal, parseDecimal } from '../money/money';

/**
 * Makes the document of a loaded invoice. Pure: the same source gives the same document in every process and on every day. Amounts are the
 * source's own figures, written out, never computed again.
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
    stampDate: source.paidOn === null ? null : format.date(source.paidOn),
    issueDate: format.date(source.issueDate),
    dueDate: format.date(source.dueDate),
    corrects: null,
    references: referencesOf(source, labels, (from, to) => format.period(from, to)),
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
    payments: printedPayments(
      source,
      (day) => format.date(day),
      (decimal) => money.amount(decimal),
    ),
    credited: /[1-9]/.test(source.credited) ? money.amount(negated(source.credited)) : null,
    due: money.amount(source.due),
    notes: composed(source.notes),
    paymentTerms: composed(source.details.paymentTerms ?? ''),
    paymentInstructions: composed(source.paymentInstructions ?? ''),
    sender: printedParty(source.sender),
    client: printedParty(source.client),
    logoKey: source.logoKey,
    color: documentColor(source.brandColor),
    paymentUrl: source.paymentUrl !== null && /^https?:\/\//i.test(source.paymentUrl) ? source.paymentUrl : null,
    payableOnline: source.payableOnline === null ? null : money.amount(source.payableOnline),
  };
}

function referencesOf(
  { details: { purchaseOrder, buyerReference, servicePeriod } }: InvoiceDocumentSource,
  labels: InvoiceLabels,
  period: (from: string, to: string) => string,
): InvoiceDocument['references'] {
  const all = [
    { label: labels.purchaseOrder, value: composed(purchaseOrder ?? '') },
    { label: labels.buyerReference, value: composed(buyerReference ?? '') },
    { label: labels.servicePeriod, value: servicePeriod ? period(servicePeriod.from, servicePeriod.to) : '' },
  ];
  return all.filter(({ value }) => value.trim() !== '');
}

/** The most payments with a line each. More payments share one line with their sum. */
const MOST_PAYMENTS = 8;

function printedPayments(
  { payments }: InvoiceDocumentSource,
  date: (day: string) => string,
  amount: (decimal: string) => string,
): InvoiceDocument['payments'] {
  const paid = (decimal: string): string => amount(negated(decimal));
  if (payments.length <= MOST_PAYMENTS) {
    return payments.map((payment) => ({ date: date(payment.day), amount: paid(payment.amount) }));
  }
  const sum = payments.reduce((all, payment) => all + parseDecimal(payment.amount), 0n);
  return [{ date: null, amount: paid(formatDecimal(sum)) }];
}

const negated = (decimal: string): string => formatDecimal(-parseDecimal(decimal));

function printedParty(party: Party): Party {
  return {
    name: composed(party.name),
    email: party.email,
    phone: party.phone,
    address: party.address === null ? null : composed(party.address),
    taxId: party.taxId,
  };
}

/** More marks on one letter than any language has. The number is that of the Stream-Safe Text Format (Unicode Standard Annex 15). */
const countlessMarks = /(?:^|\P{M})\p{M}{31}/u;

/**
 * One code point a letter where there is one: fonts have `ế` rather than `e` and two accents. Text with more than 30 marks on one letter
 * stays as it is: sorting them takes quadratic time, for 1,000 items of 500 marks 0.3 s.
 */
export function composed(text: string): string {
  return countlessMarks.test(text) ? text : text.normalize('NFC');
}
