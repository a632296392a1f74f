/** The words on the page. */
export interface InvoiceLabels {
  title: string;
  from: string;
  billTo: string;
  invoiceNumber: string;
  issueDate: string;
  dueDate: string;
  purchaseOrder: string;
  buyerReference: string;
  /** The time of the invoiced delivery. */
  servicePeriod: string;
  taxId: string;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  subtotal: string;
  tax: string;
  total: string;
  /** The amount due, in the e-mail and below the payments of an invoice. */
  amountDue: string;
  /** Of a payment; in the e-mail in the place of `amountDue` once nothing is due any more. */
  amountPaid: string;
  /** Before the sum of the credit notes. */
  credited: string;
  notes: string;
  paymentTerms: string;
  /** Where to transfer money to. */
  paymentInstructions: string;
  payOnline: string;
  /** Before the amount paid online, where it differs from the amount due: ¥1,357 of ¥1,357.40. */
  payableOnline: string;
  scanToPay: string;
  /** With the places `{page}` and `{pages}`. */
  page: string;
  /** Between a label and its value, with the spaces that the language writes around it. */
  colon: string;
  stamps: { draft: string; paid: string; overdue: string; cancelled: string };
}

/** The sentences of the message that brings an invoice, with the places `{number}`, `{sender}` and `{client}`. */
export interface EmailTexts {
  subject: string;
  greeting: string;
  /** Says that the invoice is attached. */
  attached: string;
  /** Follows `attached` once nothing is due any more. */
  paid: string;
  /** Follows `attached` once the due date has passed. */
  overdue: string;
  /** Ends the list of the first items; `{count}` is 2 or more. */
  moreItems: string;
  /** On the button to a page where nothing is left to pay. */
  viewInvoice: string;
  /**
   * Of a reminder, instead of `subject` and `attached`: until the due date and after it, with the place `{dueDate}` as well. `isDue` is
   * true of a day to come and of today.
   */
  reminder: { subject: string; isDue: string; wasDue: string };
  /** Before the bare address, for mail clients that do not show the button. */
  orOpen: string;
  /** Before the sender's name. */
  closing: string;
}

/** The sentences of the page on which an invoice is seen and paid. */
export interface PageTexts {
  downloadPdf: string;
  /** To a reader who returns from the payment before it is reported. */
  returned: string;
  /** While the payment link is made. */
  preparing: string;
  /** The payment link could not be made. */
  notPrepared: string;
  /** The client has paid by a method that takes days. */
  onItsWay: string;
  /** No such page: revoked, or deleted. */
  notFound: string;
  /** The page cannot be shown for a while. */
  unavailable: string;
}

/** The words of a credit note that are others than those of an invoice. */
export interface CreditNoteTexts {
  /** In the place of the invoice's. `invoiceNumber` is that of the credit note. */
  labels: Pick<InvoiceLabels, 'title' | 'invoiceNumber' | 'issueDate'>;
  /** Before the number of the invoice. */
  corrects: string;
  reason: string;
  /** Before the total, in the e-mail. */
  amount: string;
  /** `{number}` is the credit note's; `attached` has the place `{invoice}` as well. */
  email: Pick<EmailTexts, 'subject' | 'attached'>;
}

/**
 * The fixed texts of an invoice and of its e-mail in one language. Words for tax and tax number are neutral, since they serve
 * any tax of any country.
 */
export interface LanguageTexts {
  /** A page is mirrored when its labels run from right to left. */
  direction: 'ltr' | 'rtl';
  labels: InvoiceLabels;
  email: EmailTexts;
  page: PageTexts;
  creditNote: CreditNoteTexts;
}
