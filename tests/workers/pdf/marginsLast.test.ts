import { buildInvoiceDocument } from '../../../shared/invoices/document/buildInvoiceDocument';
import { marginsLast } from '../../../workers/pdf/marginsLast';
import { invoiceSource } from '../../shared/invoices/document/invoiceDocuments';
import { testRenderer } from './testRenderer';

/** The objects to which the cross-reference table points, by what stands there. */
function referred(pdf: Buffer): string[] {
  const text = pdf.toString('latin1');
  const start = Number(/startxref\n(\d+)\n%%EOF/.exec(text)?.[1]);
  const [head, , ...entries] = text.slice(start).split('\n');
  const inUse = entries.filter((entry) => / n $/.test(entry));
  return [head ?? '', ...inUse.map((entry) => text.slice(Number(entry.slice(0, 10))).split('\n', 1)[0] ?? '')];
}

describe('marginsLast', () => {
  const renderer = testRenderer();
  afterAll(() => renderer.close());

  it('of a PDF of many pages › leaves a cross-reference table in which every object is where it says', async () => {
    const items = Array.from({ length: 100 }, () => ({ ...invoiceSource().items[0]!, description: 'x' }));
    const pdf = await renderer.render(buildInvoiceDocument(invoiceSource({ items })), null);
    const [head, ...objects] = referred(pdf);
    expect(head).toBe('xref');
    expect(objects.length).toBeGreaterThan(100);
    expect(objects).toEqual(objects.map((_, index) => `${index + 1} 0 obj`));
  });

  it.each([
    ['is none', 'not a PDF'],
    ['has no table of objects', '%PDF-1.7\n1 0 obj\n<</Contents 1 0 R>>\nendobj\nstartxref\n9\n%%EOF\n'],
  ])('of a file that %s › returns it unchanged', async (_, text) => {
    const file = Buffer.from(text);
    expect(await marginsLast(file)).toEqual(file);
  });

  it('of a PDF whose margins are last already › returns it unchanged', async () => {
    const pdf = await renderer.render(buildInvoiceDocument(invoiceSource()), null);
    expect(await marginsLast(pdf)).toEqual(pdf);
  });
});
