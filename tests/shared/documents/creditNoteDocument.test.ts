import { buildCreditNoteDocument } from '../../../shared/documents/buildCreditNoteDocument';
import { documentKey } from '../../../shared/documents/documentKey';
import type { CreditNoteDocumentSource } from '../../../shared/documents/InvoiceDocument';
import { renderInvoiceEmail } from '../../../shared/documents/invoiceEmail';
import { invoicePage } from '../../../shared/documents/invoiceHtml';
import { languages } from '../../../shared/documents/languages';
import { creditNoteSource } from './invoiceDocuments';

const documentOf = (changes: Partial<CreditNoteDocumentSource> = {}) =>
  buildCreditNoteDocument(creditNoteSource(changes));
/** The words of a page, without its tags. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u2068\u2069]+/g, ' ')
    .trim();

describe('the page of a credit note', () => {
  it('has its title and number, the invoice that it corrects, the reason, the items and the sums', () => {
    const { body, title } = invoicePage(documentOf(), null);
    expect(title).toBe('Credit note CN-2025-00007');
    const text = textOf(body);
    for (const part of [
      'Credit note Credit note number CN-2025-00007',
      'Issue date February 14, 2025 Corrects invoice INV-2025-00042 (January 31, 2025)',
      'Hosting, one month 1 350.50 350.50',
      'Subtotal $350.50 Tax (11%) $38.56 Total $389.06',
      'Reason The hosting was cancelled. Notes The amount is refunded within a week.',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('asks for no payment: no due date, amount due, payment or stamp', () => {
    const text = textOf(invoicePage(documentOf(), null).body);
    expect(text).not.toMatch(/due|paid|pay /i);
    expect(invoicePage(documentOf(), null).body).not.toContain('stamp');
  });

  it.each(Object.entries(languages))('in %s › has its words, and those of the message', (locale, { creditNote }) => {
    const document = documentOf({ locale });
    const text = textOf(invoicePage(document, null).body);
    const { title, invoiceNumber, issueDate } = creditNote.labels;
    for (const word of [title, invoiceNumber, issueDate, creditNote.corrects, creditNote.reason]) {
      expect(text).toContain(word);
    }
    const { subject, text: message } = renderInvoiceEmail(document);
    expect(subject).toContain('CN-2025-00007');
    expect(message.replaceAll(/[\u2068\u2069]/g, '')).toMatch(
      /CN-2025-00007[^]*INV-2025-00042|INV-2025-00042[^]*CN-2025-00007/,
    );
  });

  it('with markup in every text › writes it as text', () => {
    const hostile = '</p><script>x</script>';
    const { body } = invoicePage(
      documentOf({ creditNoteNumber: hostile, reason: hostile, invoiceNumber: hostile }),
      null,
    );
    expect(body).not.toContain('<script');
    expect(body.match(/&lt;script&gt;/g)).toHaveLength(3);
  });
});

describe('the key of a credit note', () => {
  const keyOf = (changes: Partial<CreditNoteDocumentSource> = {}) => documentKey(documentOf(changes));

  it('is that of its content', () => {
    expect(keyOf()).toBe(keyOf());
  });

  it.each<[string, Partial<CreditNoteDocumentSource>]>([
    ['number', { creditNoteNumber: 'CN-1' }],
    ['reason', { reason: 'Another.' }],
    ['invoice', { invoiceNumber: 'INV-1' }],
    ['day of the invoice', { invoiceIssueDate: '2025-01-30' }],
    ['total', { total: '389.07' }],
    ['items', { items: [] }],
  ])('with another %s › is another', (_what, changes) => {
    expect(keyOf(changes)).not.toBe(keyOf());
  });
});

describe('the message that brings a credit note', () => {
  it('says the amount that is credited, and asks for nothing', () => {
    const { subject, text, html } = renderInvoiceEmail(documentOf(), { message: 'Sorry.' });
    expect(subject).toBe('Credit note CN-2025-00007 from Nusantara Studio');
    expect(text).toContain(
      'Attached is credit note CN-2025-00007 from Nusantara Studio, which corrects invoice INV-2025-00042.',
    );
    expect(text).toContain('Amount credited: $389.06');
    for (const part of [text, textOf(html)]) {
      expect(part).toContain('Sorry.');
      expect(part).not.toMatch(/due|pay online/i);
    }
  });

  it('with the page of the invoice › leads there to read it', () => {
    const { text } = renderInvoiceEmail(documentOf(), { pageUrl: 'https://billing.example/i/1' });
    expect(text).toContain('View invoice:\nhttps://billing.example/i/1');
  });
});
