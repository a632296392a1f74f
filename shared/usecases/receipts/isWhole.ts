import { WINDOW, type FileWindow } from '../../files/FileWindow';

/** Length, type and checksum around the data of a PNG's chunk. */
const CHUNK_OVERHEAD = 12;
/** How far from its end a PDF may carry its end marker (ISO 32000, implementation note 18). */
const PDF_TAIL = 1024;

/** A PNG from its header to its end chunk, with pixels between; what follows is nobody's business. */
export async function isWholePng(file: FileWindow): Promise<boolean> {
  let hasPixels = false;
  for (let at = 8; at + CHUNK_OVERHEAD <= file.size;) {
    const head = await file.bytes(at, 8);
    const type = head.toString('latin1', 4);
    const length = head.readUInt32BE(0);
    if (at === 8 && (type !== 'IHDR' || length !== 13)) return false;
    if (type === 'IDAT') hasPixels = true;
    at += CHUNK_OVERHEAD + length;
    if (type === 'IEND') return hasPixels && at <= file.size;
  }
  return false;
}

/** A JPEG whose end marker comes after a scan. Phones append things to it: a second picture, a video. */
export async function isWholeJpeg(file: FileWindow): Promise<boolean> {
  for (let at = 2; ;) {
    const head = await file.bytes(at, 4);
    if (head.length < 2 || head[0] !== 0xff) return false;
    const marker = head[1] ?? 0;
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) at += 1;
    else if (head.length < 4) return false;
    else if (marker !== 0xda) at += 2 + Math.max(head.readUInt16BE(2), 2);
    else return endsAfterScan(file, at + 2 + head.readUInt16BE(2));
  }
}

/** From the first scan on, tables between scans included: they hold no end marker but by chance. */
async function endsAfterScan(file: FileWindow, from: number): Promise<boolean> {
  for (let at = from; ;) {
    const piece = await file.bytes(at, WINDOW);
    if (piece.length < 2) return false;
    if (piece.includes(Buffer.from([0xff, 0xd9]))) return true;
    // The marker may lie across the edge of two pieces.
    at += piece.length - 1;
  }
}

/** A WebP that is as long as its RIFF header says. */
export async function isWholeWebp(file: FileWindow): Promise<boolean> {
  const head = await file.bytes(0, 20);
  return head.length === 20 && head.toString('latin1', 12, 15) === 'VP8' && head.readUInt32LE(4) + 8 <= file.size;
}

/** A PDF with its end marker near its end. */
export async function isWholePdf(file: FileWindow): Promise<boolean> {
  const tail = await file.bytes(Math.max(file.size - PDF_TAIL, 0), PDF_TAIL);
  return tail.includes('%%EOF');
}
