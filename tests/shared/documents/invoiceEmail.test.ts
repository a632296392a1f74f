import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import type { InvoiceDocumentSource } from '../../../shared/documents/InvoiceDocument';
import { languages } from '../../../shared/documents/languages';
import { renderInvoiceEmail } from '../../../shared/documents/invoiceEmail';
import { invoiceSource } from './invoiceDocuments';

const emailOf = (changes: Partial<InvoiceDocumentSource> = {}) =>
  renderInvoiceEmail(buildInvoiceDocument(invoiceSource(changes)));
const hostile = '<img src=x onerror=alert(1)>"\'&amp;\r\nBcc: all@example.com\u2028end';

describe('renderInvoiceEmail', () => {
  it('of an invoice with a payment link › says number, sender, amount, due date and link in text and HTML', () => {
    const { subject, text, html } = emailOf({ paymentUrl: 'https://pay.example/i/1?a=1&b=2' });
    expect(subject).toBe('Invoice INV-2025-00042 from Nusantara Studio');
    expect(text).toBe(
      [
        'Hello Acme Trading Ltd,',
        '',
        'Attached is invoice INV-2025-00042 from Nusantara Studio.',
        '',
        'Amount due: $2,054.06',
        'Due date: March 2, 2025',
        '',
        'Pay online:',
        'https://pay.example/i/1?a=1&b=2',
        '',
        'Thank you,',
        'Nusantara Studio',
        '',
      ].join('\n'),
    );
    for (const part of ['INV-2025-00042', '$2,054.06', 'March 2, 2025', 'href="https://pay.example/i/1?a=1&amp;b=2"']) {
      expect(html).toContain(part);
    }
  });

  it('of an invoice that is partly paid › asks for what is due', () => {
    const { text, html } = emailOf({ payments: [{ day: '2025-02-01', amount: '2000.00' }], due: '54.06' });
    expect(text).toContain('Amount due: $54.06\n');
    expect(`${text}${html}`).not.toContain('2,054.06');
  });

  it('of an invoice without a payment link › offers none', () => {
    const { text, html } = emailOf();
    expect(`${text}${html}`).not.toMatch(/Pay online|http/);
  });

  it('in Indonesian › is Indonesian throughout', () => {
    const { subject, text, html } = emailOf({ locale: 'id', currency: 'IDR', paymentUrl: 'https://pay.example/1' });
    expect(subject).toBe('Faktur INV-2025-00042 dari Nusantara Studio');
    expect(text).toContain('Jumlah yang harus dibayar: Rp 2.054,06\nJatuh tempo: 2 Maret 2025');
    expect(`${text}${html}`).not.toMatch(/Amount|Due|Thank|Hello|Pay online/);
  });

  it('in German › writes amounts and dates as German does', () => {
    const { subject, text } = emailOf({ locale: 'de', currency: 'EUR', paymentUrl: 'https://pay.example/1' });
    expect(subject).toBe('Rechnung INV-2025-00042 von Nusantara Studio');
    expect(text).toContain('Guten Tag Acme Trading Ltd,\n\nanbei erhalten Sie die Rechnung');
    expect(text).toContain('Zu zahlender Betrag: 2.054,06 €\nFällig am: 2. März 2025\n\nOnline bezahlen:\nhttps://');
  });

  it.each(Object.keys(languages))('in %s › fills every place, and says everything in its language', (locale) => {
    for (const status of ['sent', 'paid', 'overdue'] as const) {
      const { subject, text, html } = emailOf({ locale, status, paymentUrl: 'https://pay.example/1' });
      for (const part of [subject, text, html]) {
        expect(part).toContain('INV-2025-00042');
        expect(part).not.toMatch(/[{}]|undefined/);
      }
      expect(html).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`);
      if (locale !== 'en') expect(text).not.toMatch(/invoice|amount|due|paid|thank|open/i);
    }
  });

  it('in Arabic › isolates names and numbers, whose parts would change places', () => {
    const { subject, html } = emailOf({ locale: 'ar', invoiceNumber: '2025-001' });
    expect(html).toContain('<bdi>Nusantara Studio</bdi>');
    expect(subject).toBe('فاتورة رقم \u20682025-001\u2069 من \u2068Nusantara Studio\u2069');
  });

  it('with a name that looks like a place › keeps it', () => {
    expect(emailOf({ sender: { ...invoiceSource().sender, name: '{number}' } }).subject).toBe(
      'Invoice INV-2025-00042 from {number}',
    );
  });

  it.each([
    ['paid', 'Amount paid: $2,054.06', 'has been paid'],
    ['overdue', 'Amount due: $2,054.06', 'due date has passed'],
  ] as const)('of an invoice that is %s › says so', (status, amount, sentence) => {
    const { text } = emailOf({ status });
    expect(text).toContain(amount);
    expect(text).toContain(sentence);
  });

  it('with hostile names and numbers › has a subject of one line and no markup of theirs', () => {
    const party = { ...invoiceSource().client, name: hostile };
    const { subject, text, html } = emailOf({
      invoiceNumber: hostile,
      sender: party,
      client: party,
      paymentUrl: 'https://pay.example/"><script>x</script>',
    });
    expect(subject).not.toMatch(/[\x00-\x1f\x7f\u2028\u2029]/);
    expect(text.split('\n').filter((line) => line.startsWith('Bcc:'))).toEqual([]);
    expect(html).not.toMatch(/<img|<script/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('with a very long name › has a subject of at most 200 characters', () => {
    const { subject } = emailOf({ sender: { ...invoiceSource().sender, name: '😀'.repeat(255) } });
    expect(Array.from(subject)).toHaveLength(200);
    expect(subject.endsWith('😀…')).toBe(true);
  });

  it('has nothing that a mail client would have to fetch or run', () => {
    const { html } = emailOf({ paymentUrl: 'https://pay.example/1' });
    expect(html).not.toMatch(/<(img|script|link|iframe|style)\b|url\(|@import/i);
  });
});
