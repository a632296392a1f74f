export { png } from '../../dev/png';

/** The frame of a JPEG: an application segment, frame header, scan and end; its pixels are noise. */
export function jpeg(width = 2, height = 2): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]),
    frame,
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34, 0xff, 0xd9]),
  ]);
}

/** A WebP of one lossy chunk of `size` bytes, an even number; its pixels are noise. */
export function webp(size = 30, width = 2, height = 2): Buffer {
  const chunk = Buffer.alloc(size, 7);
  chunk.set([0x10, 0, 0, 0x9d, 0x01, 0x2a]);
  chunk.writeUInt16LE(width, 6);
  chunk.writeUInt16LE(height, 8);
  const header = Buffer.from('RIFF____WEBPVP8 ____', 'latin1');
  header.writeUInt32LE(header.length - 8 + size, 4);
  header.writeUInt32LE(size, 16);
  return Buffer.concat([header, chunk]);
}

/** The smallest PDF, made longer with a comment. */
export function pdf(comment = 'a receipt'): Buffer {
  return Buffer.from(
    `%PDF-1.4\n%${comment}\n1 0 obj<<>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n`,
    'latin1',
  );
}

export const svg = (content: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 10 10" ${attributes}>${content}</svg>`;
