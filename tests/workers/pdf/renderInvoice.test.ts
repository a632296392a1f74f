import sharp from 'sharp';
import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import type { InvoiceDocumentSource } from '../../../shared/documents/InvoiceDocument';
import type { Logo } from '../../../shared/documents/invoiceHtml';
import { languages, type Language } from '../../../shared/documents/languages';
import { invoiceSource } from '../../shared/documents/invoiceDocuments';
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

  it('is tagged with its language and title, and is read from its top, margins last', async () => {
    const items = Array.from({ length: 30 }, (_, index) => line(`Line ${index + 1} ends`));
    const { title, language, showsTitle, pages } = await printed({ items });
    expect({ title, language, showsTitle }).toEqual({
      title: 'Invoice INV-2025-00042',
      language: 'en',
      showsTitle: true,
    });
    expect(pages[0]?.text).toMatch(/Page 1 of 2[^]*Nusantara Studio/);
    expect(pages[1]?.text).toMatch(/Page 2 of 2[^]*Description/);
    const spoken = pages.map((page) => page.spoken.replace(/\s+/g, ' ').trim());
    expect(spoken[0]).toMatch(/^Nusantara Studio INVOICE Invoice number INV-2025-00042 FROM /);
    expect(spoken[1]).toMatch(/^Description .* Total \$2,054\.06 NOTES /);
    expect(spoken.join()).not.toMatch(/Page \d/);
  });

  it('repeats sender and number small at the head of every page but the first', async () => {
    const { pages } = await printed({ items: Array.from({ length: 60 }, () => line('x')) });
    const heads = pages.map(({ text }) => text.split('Invoice INV-2025-00042').length - 1);
    expect(heads).toEqual([0, 1, 1]);
    for (const { text } of pages.slice(1)) expect(text).toContain('Nusantara Studio');
  });

  // Counts with which the items fill their pages exactly, or leave the totals no room.
  it.each([
    ['one line', 'Item', [14, 18, 43, 44, 46, 73]],
    ['two lines', 'Item\nin detail', [28, 29, 45, 62, 79, 80]],
  ])(
    'whose items of %s fill its pages › has the totals whole on its last page, with at least two items',
    async (_, text, counts) => {
      for (const count of counts) {
        const { pages } = await printed({ items: Array.from({ length: count }, () => line(text)), notes: '' });
        const withTotals = pages.filter(({ text }) => /Subtotal|Tax \(|Total/.test(text));
        expect(withTotals).toEqual([pages.at(-1)]);
        expect(withTotals[0]?.text.match(/Item/g)?.length).toBeGreaterThanOrEqual(2);
        expect(pages.flatMap((page) => page.text.match(/Item/g) ?? [])).toHaveLength(count);
      }
    },
  );

  it.each([
    ['of 20 lines', 20],
    ['of 25 lines', 25],
    ['of 43 lines', 43],
    ['of 47 lines', 47],
    ['of 100 lines', 100],
  ])('whose last items are %s › still has no totals alone', async (_, lines) => {
    const items = Array.from({ length: 3 }, () => line('Item\n'.repeat(lines).trim()));
    const { pages } = await printed({ items });
    const withTotals = pages.filter(({ text }) => /Subtotal|Tax \(|Total/.test(text));
    expect(withTotals).toHaveLength(1);
    expect(withTotals[0]?.text).toContain('Item');
    expect(pages.flatMap(({ text }) => text.match(/Item/g) ?? [])).toHaveLength(3 * lines);
  });

  it('with the greatest figures in French and three decimals › breaks none', async () => {
    const items = [line('x', `-${huge}`), line('y', huge)];
    const { pages } = await printed({ locale: 'fr', currency: 'BHD', items });
    const figure = '9 999 999 999 999,99';
    expect(pages[0]?.text).toContain(`x \u2212${figure} \u2212${figure}0 \u2212${figure}0`);
  });

  it('in German › has German words, amounts with a minus sign, and dates', async () => {
    const items = [line('Beratung', '2500.00'), line('Rabatt', '-0.50')];
    const { pages, language, missingGlyphs } = await printed({ locale: 'de', currency: 'EUR', items });
    expect(language).toBe('de');
    expect(missingGlyphs).toBe(0);
    for (const text of ['RECHNUNG', '31. Januar 2025', 'Betrag (EUR)', 'Steuer (11 %)', 'Gesamtbetrag 2.054,06 €']) {
      expect(pages[0]?.text).toContain(text);
    }
    expect(pages[0]?.text).toContain('Rabatt \u22120,5 \u22120,50 \u22120,50');
  });

  it.each(Object.keys(languages) as Language[])(
    'in %s › draws every word, and its longest stamp on one line',
    async (locale) => {
      const stamps = Object.entries(languages[locale].labels.stamps) as [
        'draft' | 'paid' | 'overdue' | 'cancelled',
        string,
      ][];
      const [status, stamp] = stamps.reduce((longest, one) => (one[1].length > longest[1].length ? one : longest));
      const { pages, missingGlyphs, fonts } = await printed({ locale, status });
      expect(pages[0]?.text.normalize('NFKC')).toContain(stamp.toLocaleUpperCase(locale).normalize('NFKC'));
      expect(missingGlyphs).toBe(0);
      expect(fonts.filter((font) => !font.embedded)).toEqual([]);
    },
  );

  it('in Japanese › draws Chinese characters as Japanese does', async () => {
    const sender = { ...invoiceSource().sender, name: '株式会社直骨' };
    const { fonts, missingGlyphs } = await printed({ locale: 'ja', currency: 'JPY', sender });
    expect(missingGlyphs).toBe(0);
    expect(fonts.map(({ name }) => name).join()).toMatch(/BIZUDPGothic/);
    expect(fonts.map(({ name }) => name).join()).not.toMatch(/SC|Chocolate/);
  });

  it('in Arabic › is mirrored', async () => {
    const items = Array.from({ length: 30 }, () => line('Item'));
    const { pages } = await printed({ locale: 'ar', items, sender: { ...invoiceSource().sender, name: 'Studio' } });
    const middle = (pages[0]?.width ?? 0) / 2;
    const side = (page: number, text: string) => {
      const item = pages[page]?.items.find((one) => one.text.includes(text));
      return item === undefined ? 'absent' : item.right < middle ? 'left' : 'right';
    };
    expect(['Studio', 'INV-2025-00042', 'Item'].map((text) => side(0, text))).toEqual(['right', 'left', 'right']);
    expect(['Studio', 'INV-2025-00042', 'Item'].map((text) => side(1, text))).toEqual(['right', 'left', 'right']);
  });

  it('with a logo ten times as wide as high › shows it over more than half of the page, and a square one 22 mm high', async () => {
    const millimetres = 72 / 25.4;
    const sizeOf = async (width: number) => {
      const logo = await sharp({ create: { width, height: 100, channels: 3, background: '#0f766e' } })
        .png()
        .toBuffer();
      const image = (await printed({}, logo)).pages[0]?.images[0];
      return [image?.width, image?.height].map((length) => Math.round((length ?? 0) / millimetres));
    };
    const [width, height] = await sizeOf(1000);
    expect(width).toBeGreaterThan(105);
    expect(height).toBeGreaterThan(10);
    expect(await sizeOf(100)).toEqual([22, 22]);
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
      // Times, and the numbers that Chromium gives to the nodes of a page as long as it lives.
      const comparable = (pdf: Buffer) => pdf.toString('latin1').replace(/\(D:[^)]*\)|\(node\d+\)/g, '');
      const first = await fresh.render(document, null);
      expect(comparable(await renderer.render(document, null))).toBe(comparable(first));
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

  it('twenty at the same time over two pages › are each their own', async () => {
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
