import type { InvoiceDocument } from '../../../shared/documents/InvoiceDocument';
import { isLongPrint } from '../../../shared/documents/isLongPrint';

const documentOf = (count: number, description: string, notes = ''): InvoiceDocument =>
  ({ notes, items: Array.from({ length: count }, () => ({ description })) }) as unknown as InvoiceDocument;

test.each([
  ['three items', 3, 'Consulting, on site', false],
  ['300 items of one line', 300, 'Consulting, on site', false],
  ['500 items of one line', 500, 'Consulting, on site', true],
  ['20 items of 20 lines', 20, 'x\n'.repeat(19), false],
  ['30 items of 20 lines', 30, 'x\n'.repeat(19), true],
  ['100 items of 500 letters', 100, 'x'.repeat(500), true],
  ['20 items of 500 Chinese characters', 20, '发'.repeat(500), true],
])('%s', (_what, count, description, isLong) => {
  expect(isLongPrint(documentOf(count, description))).toBe(isLong);
});
