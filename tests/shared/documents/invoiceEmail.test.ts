import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import type { InvoiceDocumentSource } from '../../../shared/documents/InvoiceDocument';
import { languages } from '../../../shared/documents/languages';
import { type EmailExtras, renderInvoiceEmail } from '../../../shared/documents/invoiceEmail';
import { invoiceSource } from './invoiceDocuments';

const emailOf = (changes: Partial<InvoiceDocumentSource> = {}, extras: EmailExtras = {}) =>
  renderInvoiceEmail(buildInvoiceDocument(invoiceSource(changes)), extras);
const items = (count: number, description = 'Item') =>
  Array.from({ length: count }, (_, index) => ({
    ...{ description: `${description} ${index + 1}`, quantity: '1.00', unitPrice: '7.00', amount: '7.00' },
  }));
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
        '- Design of the new shop (12.5 × 120.00): 1,500.00 USD',
        '- Hosting, one month (1 × 350.50): 350.50 USD',
        '',
        'Subtotal: $1,850.50',
        'Tax (11%): $203.56',
        'Total: $2,054.06',
        '',
        'Thank you,',
        'Nusantara Studio',
        'Jl. Jenderal Sudirman 1',
        'Jakarta 10220',
        'Indonesia',
        'billing@nusantara.example',
        '+62 21 555 0100',
        'Tax ID: 01.234.567.8-901.000',
        '',
      ].join('\n'),
    );
    for (const part of ['INV-2025-00042', '$2,054.06', 'March 2, 2025', 'href="https://pay.example/i/1?a=1&amp;b=2"']) {
      expect(html).toContain(part);
    }
  });

  it('of an invoice that is partly paid › asks for what is due', () => {
    const { text, html } = emailOf({ payments: [{ day: '2025-02-01', amount: '2000.00' }], due: '54.06' });
    expect(text).toContain('Amount due: $54.06\nDue date');
    expect(text).toContain('Total: $2,054.06\nAmount paid (February 1, 2025): −$2,000.00\nAmount due: $54.06\n');
    for (const amount of ['$2,054.06', '−$2,000.00', '$54.06']) expect(html).toContain(amount);
  });

  it('of an amount that the gateway rounds › says beside it what the gateway asks for, in every language', () => {
    const rounded = { currency: 'JPY', total: '1357.40', payableOnline: '1357.00' };
    expect(emailOf(rounded).text).toContain('Amount due: ¥1,357.40\nAmount to pay online: ¥1,357\nDue date');
    for (const [locale, { labels }] of Object.entries(languages)) {
      const { text, html } = emailOf({ ...rounded, locale });
      for (const part of [text, html]) expect(part).toContain(labels.payableOnline + labels.colon);
    }
    expect(emailOf().text).not.toContain('to pay online');
  });

  it('of an invoice without a payment link › offers none', () => {
    const { text, html } = emailOf();
    expect(`${text}${html}`).not.toMatch(/Pay online|http/);
  });

  it('in Indonesian › is Indonesian throughout', () => {
    const { subject, text, html } = emailOf({ locale: 'id', currency: 'IDR', paymentUrl: 'https://pay.example/1' });
    expect(subject).toBe('Faktur INV-2025-00042 dari Nusantara Studio');
    expect(text).toContain('Jumlah yang harus dibayar: Rp 2.054,06\nJatuh tempo: 2 Maret 2025');
    expect(`${text}${html}`).not.toMatch(/Amount|Due d|Thank|Hello|Pay online/);
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
      for (const part of [subject, text, html.replace(/<style>[^]*<\/style>/, '')]) {
        expect(part).toContain('INV-2025-00042');
        expect(part).not.toMatch(/[{}]|undefined/);
      }
      expect(html).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`);
      if (locale !== 'en') expect(text).not.toMatch(/invoice|amount|\bdue|paid|thank|open/i);
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
    expect(html).not.toMatch(/<(img|script|link|iframe)\b|url\(|@import/i);
  });

  it('of many items › lists the first, and says how many follow', () => {
    const { text, html } = emailOf({ items: items(1000) });
    expect(text.match(/^- Item/gm)).toHaveLength(5);
    expect(text).toContain('- and 995 more\n');
    expect(html).toContain('and 995 more');
    expect(html).not.toContain('Item 6');
  });

  it('of one item more than are listed › lists it', () => {
    const { text } = emailOf({ items: items(6) });
    expect(text.match(/^- Item/gm)).toHaveLength(6);
    expect(text).not.toContain('more');
  });

  it('without tax › has no subtotal', () => {
    expect(emailOf({ taxRate: '0.00' }).text).not.toMatch(/Subtotal|Tax \(/);
  });

  it('with a message › shows it above the summary, escaped, with its line breaks', () => {
    const message = 'Dear <b>Jane</b>,\r\n\r\n"thanks" & see you\u2028soon';
    const { text, html } = emailOf({}, { message });
    expect(text).toContain('Dear <b>Jane</b>,\n\n"thanks" & see you\nsoon\n\nAmount due');
    expect(html).toContain('Dear &lt;b&gt;Jane&lt;/b&gt;,<br><br>&quot;thanks&quot; &amp; see you<br>soon');
    expect(html.indexOf('Dear &lt;')).toBeLessThan(html.indexOf('Design of the new shop'));
  });

  it('with a page › leads there: to pay, or to see what was paid', () => {
    const pageUrl = 'https://billing.example/i/1';
    const links = ({ html }: { html: string }) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    const due = emailOf({ paymentUrl: 'https://pay.example/1' }, { pageUrl });
    expect(new Set(links(due))).toEqual(new Set([pageUrl]));
    expect(due.text).toContain(`Pay online:\n${pageUrl}\n`);
    expect(emailOf({ status: 'paid' }, { pageUrl }).text).toContain(`View invoice:\n${pageUrl}\n`);
  });

  it('as a reminder › says so, and when the invoice is or was due', () => {
    const { subject, text, html } = emailOf({ status: 'overdue' }, { reminder: { relativeDay: 7 } });
    expect(subject).toBe('Reminder: invoice INV-2025-00042 from Nusantara Studio');
    expect(text).toMatch(
      /friendly reminder that invoice INV-2025-00042 from Nusantara Studio was due on \w.*\.\n\nAmount/,
    );
    expect(html).not.toContain('Attached');
    expect(emailOf({}, { reminder: { relativeDay: -3 } }).text).toContain('Nusantara Studio is due on');
  });

  it.each(Object.keys(languages))('as a reminder in %s › fills each place', (language) => {
    const { subject, text } = emailOf({ locale: language }, { reminder: { relativeDay: 0 } });
    expect(subject).toContain('INV-2025-00042');
    expect(text).not.toMatch(/[{}]/);
  });

  it('never breaks an invoice number that fits on a line', () => {
    expect(emailOf().html).toContain('<strong style="white-space: nowrap">INV-2025-00042</strong>');
    expect(emailOf({ invoiceNumber: 'W'.repeat(50) }).html).toContain('display: inline-block; max-width: 100%');
  });

  it('has the colour of the sender, and ours without one', () => {
    expect(emailOf({ brandColor: '#0F766E' }).html).toContain('border-top: 6px solid #0f766e');
    expect(emailOf().html).toContain('border-top: 6px solid #1e3a8a');
  });

  it('with a logo › shows it as a part of the message, in a size that fits', () => {
    const png = Buffer.alloc(30);
    png.writeUInt32BE(1680, 16);
    png.writeUInt32BE(528, 20);
    const { html, logo } = emailOf({}, { logo: png });
    expect(logo?.content).toBe(png);
    expect(html).toContain(`<img src="cid:${logo?.contentId}" width="204" height="64" alt="Nusantara Studio"`);
    expect(emailOf({}, { logo: Buffer.alloc(300_000) })).toMatchObject({ logo: null });
  });

  it('of the longest invoice that there can be › is below what Gmail cuts off', () => {
    const long = (length: number) => '"'.repeat(length);
    const party = {
      name: long(255),
      email: `${'a'.repeat(60)}@x.example`,
      phone: long(50),
      address: long(1000),
      taxId: long(100),
    };
    const { html, text } = emailOf(
      {
        ...{ invoiceNumber: long(50), sender: party, client: party, items: items(1000, long(490)), status: 'overdue' },
        payments: Array.from({ length: 100 }, () => ({ day: '2025-02-01', amount: '1.00' })),
        paymentUrl: `https://pay.example/${'a'.repeat(2000)}`,
      },
      { message: '"\n'.repeat(1000) },
    );
    expect(Buffer.byteLength(html)).toBeLessThan(90_000);
    expect(Buffer.byteLength(text)).toBeLessThan(20_000);
  });
});
