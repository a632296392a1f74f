import { buildInvoiceDocument } from '../../../shared/document/buildInvoiceDocument';
import type { InvoiceDocumentSource } from '../../../shared/document/InvoiceDocument';
import type { Logo } from '../../../shared/document/invoiceHtml';
import { invoiceSource } from '../../unit/document/invoiceDocuments';
import { readPdf } from './pdfText';
import { testRenderer } from './testRenderer';

const renderer = testRenderer();
const printed = async (changes: Partial<InvoiceDocumentSource> = {}, logo: Logo | null = null) =>
  readPdf(await renderer.render(buildInvoiceDocument(invoiceSource(changes)), logo));
const line = (description: string, figure = '1.00') => ({
  description,
  quantity: figure,
  unitPrice: figure,
  amount: figure,
});
const huge = '9999999999999.99';

afterAll(() => renderer.close());

describe('a printed invoice', () => {
  it('says everything that the document says, as text that can be selected', async () => {
    const { pages, title } = await printed({ paymentUrl: 'https://pay.example/i/1', status: 'overdue' });
    expect(title).toBe('Invoice INV-2025-00042');
    expect(pages).toHaveLength(1);
    const expected = [
      ...['INVOICE', 'INV-2025-00042', 'January 31, 2025', 'March 2, 2025', 'OVERDUE', 'Page 1 of 1'],
      ...['Nusantara Studio', 'Jl. Jenderal Sudirman 1', 'billing@nusantara.example', '+62 21 555 0100'],
      ...['Acme Trading Ltd', 'London SW1A 1AA', 'Tax ID: GB123456789'],
      ...['Amount (USD)', 'Design of the new shop 12.5 120.00 1,500.00', 'Hosting, one month 1 350.50 350.50'],
      ...['Subtotal $1,850.50', 'Tax (11%) $203.56', 'Total $2,054.06'],
      ...['https://pay.example/i/1', 'Please mention the invoice number.\nThank you for your business.'],
    ];
    for (const text of expected) expect(pages[0]?.text).toContain(text);
  });

  it('in Indonesian › has Indonesian words, amounts and dates', async () => {
    const { pages } = await printed({ locale: 'id-ID', currency: 'IDR', status: 'paid' });
    for (const text of ['FAKTUR', 'LUNAS', '31 Januari 2025', 'Total Rp 2.054,06', 'Pajak (11%)', 'Halaman 1 dari 1']) {
      expect(pages[0]?.text).toContain(text);
    }
  });

  it('with 1,000 lines › repeats the table header and numbers its pages, and no line is lost or broken', async () => {
    const items = Array.from({ length: 1000 }, (_, index) => line(`Line ${index + 1} ends`));
    const { pages } = await printed({ items });
    expect(pages.length).toBeGreaterThan(20);
    pages.forEach(({ text }, index) => {
      expect(text).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(text).toContain('Description Quantity Unit price Amount (USD)');
    });
    const all = pages.map(({ text }) => text).join('\n');
    for (const { description } of items) expect(all).toContain(`${description} 1 1.00 1.00`);
  });

  it.each([
    ['words in 20 lines', 'word word word word word\n'.repeat(20).slice(0, 500), 501],
    ['one word without end', 'W'.repeat(500), 1000],
    ['characters that no font draws', '\u{13000}'.repeat(250), 500],
    ['scripts that alternate', 'aب1 '.repeat(125), 501],
  ])(
    'of the greatest length that is accepted, with %s › is printed whole',
    async (_, description, expected) => {
      const patient = testRenderer({ deadlineMs: 60_000 });
      try {
        const items = Array.from({ length: 1000 }, () => line(description, huge));
        const pdf = await patient.render(buildInvoiceDocument(invoiceSource({ items })), null);
        expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(expected);
      } finally {
        await patient.close();
      }
    },
    120_000,
  );

  it('with words without end and the greatest figures › keeps everything on the page', async () => {
    const endless = (letter: string, length: number) => letter.repeat(length);
    const party = {
      name: endless('N', 255),
      email: endless('e', 255),
      phone: endless('1', 255),
      address: endless('A', 255),
      taxId: endless('T', 255),
    };
    const { pages } = await printed({
      invoiceNumber: endless('W', 50),
      notes: endless('n', 5000),
      items: [line(endless('W', 500), huge), line('Discount', `-${huge}`)],
      sender: party,
      client: party,
      paymentUrl: `https://pay.example/${endless('p', 900)}`,
      ...{ subtotal: huge, tax: huge, total: huge, status: 'cancelled', currency: 'XAF' },
    });
    const millimetres = 72 / 25.4;
    for (const page of pages) {
      expect(page.right).toBeLessThanOrEqual(page.width - 16.5 * millimetres);
      expect(page.bottom).toBeGreaterThan(5 * millimetres);
    }
    const all = pages.map(({ text }) => text).join('\n');
    expect(all).toContain('9,999,999,999,999.99 9,999,999,999,999.99 9,999,999,999,999.99');
    expect(all).toContain('Total FCFA 9,999,999,999,999.99');
    expect(all.match(/n/g)?.length).toBeGreaterThanOrEqual(5000);
  });

  it('in any script › embeds the fonts for it and draws no empty box', async () => {
    const words = {
      latin: 'Größe łódź Ñandú',
      vietnamese: 'Nguyễn Hường',
      cyrillic: 'Счёт на оплату',
      greek: 'Τιμολόγιο',
      arabic: 'فاتورة',
      hebrew: 'חשבונית',
      thai: 'ภาษาไทย',
      chinese: '发票和付款条件',
      traditional: '發票與付款條件',
      japanese: '請求書をお送りします',
      korean: '세금 계산서',
      devanagari: 'चालान',
      symbols: '✓ → ★ ☎ ₹ ₿ ₫ № ①',
      emoji: '😀',
    };
    const { pages, fonts, missingGlyphs } = await printed({
      items: Object.values(words).map((word) => line(word)),
      notes: Object.values(words).join('\n'),
      client: { ...invoiceSource().client, name: Object.values(words).join(' ') },
    });
    const all = pages.map(({ text }) => text.normalize('NFKC')).join('\n');
    for (const word of Object.values(words)) expect(all).toContain(word.normalize('NFKC'));
    expect(missingGlyphs).toBe(0);
    expect(fonts.filter((font) => !font.embedded)).toEqual([]);
    expect(fonts.map((font) => font.name).join()).not.toContain('OpenSans');
  });

  it('after invoices in other scripts on the same page › is drawn as on a fresh one', async () => {
    const fresh = testRenderer();
    try {
      const document = buildInvoiceDocument(invoiceSource({ notes: '直 骨 发票 → ✓' }));
      const withoutTimes = (pdf: Buffer) => pdf.toString('latin1').replace(/\(D:[^)]*\)/g, '');
      const first = await fresh.render(document, null);
      expect(withoutTimes(await renderer.render(document, null))).toBe(withoutTimes(first));
    } finally {
      await fresh.close();
    }
  });

  it('with a logo that cannot be read › is printed with the name of the sender in its place', async () => {
    const { pages } = await printed({}, Buffer.from('not an image'));
    expect(pages[0]?.text.match(/Nusantara Studio/g)).toHaveLength(2);
  });

  it('with an SVG in the place of the PNG › takes it for no image: Chromium draws no file of a user as a document', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const { pages } = await printed({}, Buffer.from(svg));
    expect(pages[0]?.text.match(/Nusantara Studio/g)).toHaveLength(2);
  });

  it('with a logo › shows it in the place of the large name', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { pages } = await printed({}, Buffer.from(pixel, 'base64'));
    expect(pages[0]?.text.match(/Nusantara Studio/g)).toHaveLength(1);
  });

  it('twenty at once over two pages › are each their own', async () => {
    const many = testRenderer({ concurrency: 2 });
    try {
      const numbers = Array.from({ length: 20 }, (_, index) => `CONCURRENT-${index}-END`);
      const pdfs = await Promise.all(
        numbers.map((invoiceNumber) => many.render(buildInvoiceDocument(invoiceSource({ invoiceNumber })), null)),
      );
      const texts = await Promise.all(pdfs.map(async (pdf) => (await readPdf(pdf)).pages[0]?.text));
      texts.forEach((text, index) => expect(text).toContain(numbers[index]));
    } finally {
      await many.close();
    }
  });
});
