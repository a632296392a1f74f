import { buildInvoiceDocument } from '../../../shared/document/buildInvoiceDocument';
import type { InvoiceDocumentSource } from '../../../shared/document/InvoiceDocument';
import { invoiceFrame, invoicePage } from '../../../shared/document/invoiceHtml';
import { paymentQrCode } from '../../../shared/document/paymentQrCode';
import { invoiceSource } from './invoiceDocuments';

const pageOf = (changes: Partial<InvoiceDocumentSource> = {}) =>
  invoicePage(buildInvoiceDocument(invoiceSource(changes)), null);

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

  it('with CSS in the invoice number › keeps it inside the string of the page foot', () => {
    const { style } = pageOf({ invoiceNumber: '"; } body { background: url(http://127.0.0.1/) } </style>\\' });
    expect(style.match(/[{}]/g)).toHaveLength(8);
    expect(style).not.toMatch(/url\(|<\/style/);
  });

  it('says the page numbers in the language of the document', () => {
    expect(pageOf().style).toContain('"Page " counter(page) " of " counter(pages)');
    expect(pageOf({ locale: 'id' }).style).toContain('"Halaman " counter(page) " dari " counter(pages)');
  });

  it('with a logo › puts it into the page as a PNG, whatever its bytes are, without one the name of the sender', () => {
    const logo = Buffer.from('png');
    expect(invoicePage(buildInvoiceDocument(invoiceSource()), logo).body).toContain(
      `<img src="data:image/png;base64,${logo.toString('base64')}"`,
    );
    expect(pageOf().body).toMatch(/<div class="brand">\s*<p dir="auto">Nusantara Studio<\/p>/);
  });

  it('without notes, stamp, payment link and details › shows none of their headings', () => {
    const bare = { name: 'X', email: null, phone: null, address: '', taxId: null };
    const { body } = pageOf({ notes: ' \n', sender: bare, client: bare });
    expect(body).not.toMatch(/Notes|Pay online|<svg|stamp|Tax ID/);
  });
});

describe('invoiceFrame', () => {
  it('forbids every kind of load from elsewhere', () => {
    expect(invoiceFrame()).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:`,
    );
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
