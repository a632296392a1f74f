import type { InvoiceDocument } from './InvoiceDocument';
import { isolated } from './isolated';
import { languages } from './languages';
import { shortened } from './shortened';
import { renderHtml, renderText } from './templates';

/** One message: a subject of one line, and the same content as plain text and as HTML without external resources. */
export interface InvoiceEmail {
  subject: string;
  text: string;
  html: string;
}

const subjectLimit = 200;

/**
 * The message that brings an invoice to its client, in the document's language, with the amount due, the due date and the
 * payment link when there is one. Everything typed by people is escaped, and the subject cannot carry a line break.
 */
export function renderInvoiceEmail(invoice: InvoiceDocument): InvoiceEmail {
  const texts = languages[invoice.language].email;
  const { invoiceNumber: number, sender, client, status, direction } = invoice;
  const names = { number, sender: sender.name, client: client.name };
  const sentence = (text: string) =>
    oneLine(
      text.replace(/\{(number|sender|client)\}/g, (_, name: keyof typeof names) => isolated(names[name], direction)),
    );
  const values = {
    invoice,
    texts,
    greeting: sentence(texts.greeting),
    attached: sentence(texts.attached),
    state: status === 'paid' || status === 'overdue' ? texts[status] : null,
    amountLabel: status === 'paid' ? invoice.labels.amountPaid : invoice.labels.amountDue,
    amount: status === 'paid' ? invoice.total : invoice.due,
    sender: oneLine(sender.name),
  };
  return {
    subject: shortened(sentence(texts.subject), subjectLimit),
    text: renderText('email.txt', values),
    html: renderHtml('email.html', values),
  };
}

/** Without control characters and line or paragraph separators: what would end a mail header or fake a paragraph. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
