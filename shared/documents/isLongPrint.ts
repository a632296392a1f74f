import type { InvoiceDocument } from './InvoiceDocument';

/** Lines on the page; with more, printing takes longer than a few usual invoices together (about 0.5 ms a line). */
const MANY_LINES = 500;
/** UTF-8 bytes that fill a line of the item table. Letters beyond ASCII have more bytes, and cost more: their fonts are loaded. */
const BYTES_PER_LINE = 50;

/** Tests whether a document takes so long to print that usual ones must not wait for it. */
export function isLongPrint({ items, notes }: InvoiceDocument): boolean {
  let lines = linesOf(notes);
  for (const { description } of items) lines += linesOf(description);
  return lines > MANY_LINES;
}

function linesOf(text: string): number {
  return text.split('\n').length + Buffer.byteLength(text) / BYTES_PER_LINE;
}
