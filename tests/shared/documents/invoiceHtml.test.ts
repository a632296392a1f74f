import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import type { InvoiceDocumentSource } from '../../../shared/documents/InvoiceDocument';
import { invoiceFrame, invoicePage } from '../../../shared/documents/invoiceHtml';
import { paymentQrCode } from '../../../shared/documents/paymentQrCode';
import { invoiceSource } from './invoiceDocuments';

const pageOf = (changes: Partial<InvoiceDocumentSource> = {}) =>
  invoicePage(buildInvoiceDocument(invoiceSource(changes)), null);

/** The words of a page, without its tags. */
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('invoicePage', () => {
  it('with markup in every text › writes it as text', () => {
    const hostile = '</td><script>x</script><img src="http://127.0.0.1/x">';
    const party = { name: hostile, email: hostile, phone: hostile, address: hostile, taxId: hostile };
    const { body } = pageOf({
      invoiceNumber: hostile,
      currency: 'USD',
      notes: hostile,
      sender: party,
      client: party,
      items: [{ description: hostile, quantity: '1.00', unitPrice: '1.00', amount: '1.00' }],
      paymentUrl: `https://pay.example/"onclick="x${hostile}`,
    });
    expect(body).not.toMatch(/<script|<img|"onclick/);
    expect(body.match(/&lt;script&gt;/g)).toHaveLength(16);
  });

  it('with characters that no font draws › shows the sign for unknown characters', () => {
    expect(pageOf({ notes: 'Ankh: \u{132f9}' }).body).toContain('Ankh: \ufffd');
  });

  it('with CSS in the invoice number › keeps it inside the string of the page head', () => {
    const hostile = '"; } body { background: url(http://127.0.0.1/) } </style>\\';
    const sender = { ...invoiceSource().sender, name: hostile };
    const { style } = pageOf({ invoiceNumber: hostile, sender });
    expect(style.match(/[{}]/g)).toHaveLength(pageOf().style.match(/[{}]/g)?.length ?? 0);
    expect(style).not.toMatch(/url\(|<\/style/);
  });

  it('has the colour of the sender', () => {
    expect(pageOf({ brandColor: '#0f766e' }).style).toContain('--brand: #0f766e;');
    expect(pageOf().style).toContain('--brand: #1e3a8a;');
  });

  it('says the page numbers in the language of the document', () => {
    expect(pageOf().style).toContain('"Page " counter(page) " of " counter(pages)');
    expect(pageOf({ locale: 'id' }).style).toContain('"Halaman " counter(page) " dari " counter(pages)');
  });

  it('says sender and number at the head of every page but the first, at the sides that the labels run to', () => {
    const head = (locale: string) => pageOf({ locale, invoiceNumber: 'A1' }).style.split('\n').slice(1);
    expect(head('en')).toEqual([
      expect.stringMatching(
        /^@page \{ @top-left \{ content: "Nusantara Studio"; \} @top-right \{ content: "Invoice .*A1"; \}/,
      ),
      '@page :first { @top-left { content: none; } @top-right { content: none; } }',
    ]);
    expect(head('ar')[0]).toMatch(/@top-right \{ content: "Nusantara Studio"; \} @top-left .* @bottom-left /);
  });

  it('with a long sender › shortens it at the head of the pages', () => {
    const { style } = pageOf({ sender: { ...invoiceSource().sender, name: '😀'.repeat(255) } });
    expect(style.match(/\\1f600 /g)).toHaveLength(41);
  });

  it('partly paid › has its payments and the amount due below the total', () => {
    const payments = [
      { day: '2025-02-01', amount: '50.00' },
      { day: '2025-02-03', amount: '4.06' },
    ];
    const totals = textOf(pageOf({ payments, due: '2000.00' }).body);
    expect(totals).toMatch(
      /Total \$2,054.06 Amount paid \(.*February 1, 2025.*\) −\$50.00 Amount paid \(.*3, 2025.*\) −\$4.06 Amount due \$2,000.00/,
    );
    expect(textOf(pageOf().body)).not.toMatch(/Amount (paid|due)/);
  });

  it('of an amount that the gateway rounds › says below it what the gateway asks for', () => {
    const rounded = { currency: 'JPY', total: '1357.40', payableOnline: '1357.00' };
    expect(textOf(pageOf(rounded).body)).toContain('Total ¥1,357.40 Amount to pay online ¥1,357');
    expect(textOf(pageOf().body)).not.toContain('to pay online');
  });

  it('with many payments › has one line for all of them', () => {
    const payments = Array.from({ length: 9 }, () => ({ day: '2025-02-01', amount: '10.00' }));
    expect(textOf(pageOf({ payments, due: '1964.06' }).body)).toContain('Amount paid −$90.00 Amount due $1,964.06');
  });

  it('paid › is stamped with the day', () => {
    expect(pageOf({ status: 'paid', paidOn: '2025-02-03' }).body).toContain('Paid<small>February 3, 2025</small>');
  });

  it('untaxed › has a total alone', () => {
    const { body } = pageOf({ taxRate: '0.00', tax: '0.00', total: '1850.50' });
    expect(body).toContain('<th>Total</th><td>$1,850.50</td>');
    expect(body).not.toMatch(/Subtotal|Tax \(/);
  });

  it('in Arabic › is right-to-left, and keeps the parts of numbers in order', () => {
    const page = pageOf({ locale: 'ar', invoiceNumber: '2025-001' });
    expect(page).toMatchObject({ language: 'ar', direction: 'rtl', title: 'فاتورة \u20682025-001\u2069' });
    expect(page.body).toContain('\u20682025-001\u2069');
    expect(page.body).toContain('\u206801.234.567.8-901.000\u2069');
  });

  it.each([
    ['nothing but Latin', 'Thank you', false],
    ['a line of Arabic', 'شكرا', true],
    ['a line of Hebrew', 'תודה', true],
    ['a line of Adlam', '\u{1e900}', true],
    ['an emoji', '😀', false],
  ])('with %s › lets lines run in a direction of their own where one may have one', (_what, notes, own) => {
    expect(pageOf({ notes }).style.includes('plaintext')).toBe(own);
  });

  it('with a logo › puts it into the page as a PNG, whatever its bytes are, without one the name of the sender', () => {
    const page = invoicePage(buildInvoiceDocument(invoiceSource()), Buffer.from('png'));
    expect(page.logo).toBe(Buffer.from('png').toString('base64'));
    expect(page.body).toContain('<img src="" alt="Nusantara Studio">');
    expect(pageOf().body).toMatch(/<div class="brand">\s*<p>Nusantara Studio<\/p>/);
  });

  it('without notes, stamp, payment link and details › shows none of their headings', () => {
    const bare = { name: 'X', email: null, phone: null, address: '', taxId: null };
    const { body } = pageOf({ notes: ' \n', sender: bare, client: bare });
    expect(body).not.toMatch(/Notes|Pay online|<svg|stamp|Tax ID/);
  });
});

describe('invoiceFrame', () => {
  it('forbids every kind of load from elsewhere', () => {
    expect(invoiceFrame()).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src blob:; base-uri`);
  });
});

describe('paymentQrCode', () => {
  it('draws every dark module once, inside a quiet zone of four modules', () => {
    const code = paymentQrCode('https://pay.example/i/1');
    const cells = [...(code?.path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g) ?? [])].map((run) =>
      run.slice(1).map(Number),
    );
    const dark = cells.reduce((sum, [, , length = 0]) => sum + length, 0);
    expect(code?.side).toBe(25 + 8);
    expect(Math.min(...cells.flatMap(([x = 0, y = 0]) => [x, y]))).toBe(4);
    expect(cells.find(([x, y]) => x === 4 && y === 4)?.[2]).toBe(7);
    expect(dark).toBeGreaterThan(200);
  });

  it('of an address that is too long to be scanned › is null', () => {
    expect(paymentQrCode(`https://pay.example/${'x'.repeat(600)}`)).toBeNull();
  });
});
