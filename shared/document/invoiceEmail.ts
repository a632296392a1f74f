import { emailTexts } from './emailTexts';
import type { InvoiceDocument } from './InvoiceDocument';
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
  const texts = emailTexts[invoice.language];
  const values = {
    invoice,
    texts,
    greeting: oneLine(texts.greeting(invoice)),
    introduction: oneLine(texts.introduction(invoice)),
    amountLabel: invoice.status === 'paid' ? texts.amountPaid : texts.amountDue,
    sender: oneLine(invoice.sender.name),
  };
  return {
    subject: shortened(oneLine(texts.subject(invoice))),
    text: renderText('email.txt', values),
    html: renderHtml('email.html', values),
  };
}

/** Without control characters and line or paragraph separators: what would end a mail header or fake a paragraph. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= subjectLimit ? text : `${characters.slice(0, subjectLimit - 1).join('')}…`;
}
