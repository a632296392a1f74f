import type { Language } from './languages';
import type { InvoiceLabels, LanguageTexts } from './languages/LanguageTexts';

/** The sender or the recipient of an invoice, as printed. Frozen on the invoice once it leaves `draft`. */
export interface Party {
  name: string;
  email: string | null;
  phone: string | null;
  /** May have several lines. */
  address: string | null;
  taxId: string | null;
}

/** The details of an invoice that are printed. */
export interface PrintedDetails {
  purchaseOrder: string | null;
  buyerReference: string | null;
  servicePeriod: { from: string; to: string } | null;
  paymentTerms: string | null;
}

/** The content of an invoice, loaded from MySQL: plain data, exact decimals as strings, dates as `YYYY-MM-DD`. */
export interface InvoiceDocumentSource {
  invoiceNumber: string;
  /** The status for the reader: `sent` for a draft that the message itself makes `sent`. */
  status: 'sent' | keyof InvoiceLabels['stamps'];
  issueDate: string;
  dueDate: string;
  currency: string;
  taxRate: string;
  subtotal: string;
  tax: string;
  total: string;
  notes: string;
  items: { description: string; quantity: string; unitPrice: string; amount: string }[];
  sender: Party;
  client: Party;
  /** BCP 47, the client's or else the company's; unknown ones count as `en`. */
  locale: string;
  /** File-store key of the sender's logo; its name is the hash of its content. */
  logoKey: string | null;
  /** The sender's colour, `#rrggbb`; ours without one. */
  brandColor?: string | null;
  /** The payments that count, the earliest first; each day is the company's. */
  payments: { day: string; amount: string }[];
  /** The sum of the credit notes. */
  credited: string;
  /** The amount that is left to pay. */
  due: string;
  /** The day on which it was paid, in the company's time zone; null unless it is `paid`. */
  paidOn: string | null;
  /** The payment link when one can be paid, else null. */
  paymentUrl: string | null;
  /** The amount at the payment gateway, where it cannot collect the exact amount due; else null. */
  payableOnline: string | null;
  /** None on a credit note. */
  details: Partial<PrintedDetails>;
  /** Where to transfer money to; null once nothing is due. */
  paymentInstructions: string | null;
}

/** The content of a credit note, loaded from MySQL: that of an invoice without payment, with the corrected invoice and the reason. */
export interface CreditNoteDocumentSource extends Pick<
  InvoiceDocumentSource,
  | 'issueDate'
  | 'currency'
  | 'taxRate'
  | 'subtotal'
  | 'tax'
  | 'total'
  | 'notes'
  | 'items'
  | 'sender'
  | 'client'
  | 'locale'
  | 'logoKey'
  | 'brandColor'
> {
  creditNoteNumber: string;
  reason: string;
  /** The invoice that it corrects. */
  invoiceNumber: string;
  invoiceIssueDate: string;
}

/**
 * The invoice as a reader sees it: every amount, date and label is text in the reader's language, and nothing in it
 * depends on the day of printing. Made by `buildInvoiceDocument`; PDF, e-mail and page show it as it is. A credit note is such a
 * document too, made by `buildCreditNoteDocument`.
 */
export interface InvoiceDocument {
  /** Of the labels; dates and amounts are written as the locale does. */
  language: Language;
  direction: LanguageTexts['direction'];
  labels: InvoiceLabels;
  invoiceNumber: string;
  status: InvoiceDocumentSource['status'];
  /** The word stamped over the page, or null where none helps. */
  stamp: string | null;
  /** When it was paid, below the stamp, or null. */
  stampDate: string | null;
  issueDate: string;
  /** Empty on a credit note. */
  dueDate: string;
  /** Of a credit note: the invoice that it corrects, and why. Null on an invoice. */
  corrects: { invoiceNumber: string; reason: string } | null;
  /** Purchase order, reference and service period, as far as the invoice has them. */
  references: { label: string; value: string }[];
  /** ISO 4217; the amounts of the items are in it and do not repeat it. */
  currency: string;
  items: { description: string; quantity: string; unitPrice: string; amount: string }[];
  /** False at a rate of 0: the subtotal is then the total, and neither it nor the tax is worth a line. */
  taxed: boolean;
  /** Subtotal, tax and total carry the currency's symbol, or its code where the locale has no symbol. */
  subtotal: string;
  /** With its per cent sign. */
  taxRate: string;
  tax: string;
  total: string;
  /** The payments, a line each, or one line for all where there are many. Amounts are negative. */
  payments: { date: string | null; amount: string }[];
  /** The sum of the credit notes, negative; null for none. */
  credited: string | null;
  /** The amount that is left to pay. */
  due: string;
  notes: string;
  paymentTerms: string;
  /** Empty once nothing is due. */
  paymentInstructions: string;
  sender: Party;
  client: Party;
  logoKey: string | null;
  /** `#rrggbb`, readable behind white text and as text on white. */
  color: string;
  /** An http(s) address, or null. */
  paymentUrl: string | null;
  /** The amount at the payment gateway, where it cannot collect the exact amount due; else null. */
  payableOnline: string | null;
}
