import type { FileWindow } from './FileWindow';

/** How far from its end a PDF may carry its end marker (ISO 32000, implementation note 18). */
const TAIL = 1024;

/** Returns true for a PDF with its end marker near its end. */
export async function isWholePdf(file: FileWindow): Promise<boolean> {
  const tail = await file.bytes(Math.max(file.size - TAIL, 0), TAIL);
  return tail.includes('%%EOF');
}
