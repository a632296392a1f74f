import { buildInvoiceDocument } from '../../../shared/documents/buildInvoiceDocument';
import { reproducible } from '../../../workers/pdf/reproducible';
import { invoiceSource } from '../../shared/documents/invoiceDocuments';
import { readPdf } from './pdfText';
import { testRenderer } from './testRenderer';

const items = Array.from({ length: 60 }, (_, index) => ({
  ...invoiceSource().items[0]!,
  description: `Line ${index}`,
}));
const document = buildInvoiceDocument(invoiceSource({ items, paymentUrl: 'https://pay.example/i/1' }));

test('one document, printed by two browsers, one of which has printed others before › is the same bytes', async () => {
  const [fresh, used] = [testRenderer(), testRenderer()];
  try {
    const first = await fresh.render(document, null);
    await used.render(buildInvoiceDocument(invoiceSource()), null);
    const second = await used.render(document, null);
    expect(second.equals(first)).toBe(true);
    const { pages } = await readPdf(second);
    expect(pages.at(-1)?.spoken).toContain('Line 59');
  } finally {
    await Promise.all([fresh.close(), used.close()]);
  }
});

test('the times of printing are blank, and the ids of tags counted in the same order, wherever they stand', () => {
  const pdf = [
    "<</CreationDate (D:20261122030318+00'00')\n/ModDate (D:20261122030318+00'00')>>",
    '/ID (node00000781)>> /ID (node00000782)>> (node) (node0000078x)',
    '/Limits [(node00000781) (node00000782)]',
  ].join('\n');
  expect(reproducible(Buffer.from(pdf)).toString()).toBe(
    [
      `<<${' '.repeat(39)}\n${' '.repeat(34)}>>`,
      '/ID (node00000001)>> /ID (node00000002)>> (node) (node0000078x)',
      '/Limits [(node00000001) (node00000002)]',
    ].join('\n'),
  );
});
