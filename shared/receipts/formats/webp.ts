import type { FileWindow } from './FileWindow';
import { MAX_PARTS } from './maxParts';

/** Chunks that say how large the image is, in their first bytes: lossy, lossless, and the header of anything more. */
const sizes: Readonly<Record<string, { bytes: number; pixels(data: Buffer): number }>> = {
  'VP8 ': {
    bytes: 10,
    pixels: (data) =>
      data.readUIntBE(3, 3) === 0x9d012a ? (data.readUInt16LE(6) & 0x3fff) * (data.readUInt16LE(8) & 0x3fff) : 0,
  },
  VP8L: {
    bytes: 5,
    pixels: (data) => {
      const sides = data.readUInt32LE(1);
      return data[0] === 0x2f ? ((sides & 0x3fff) + 1) * (((sides >>> 14) & 0x3fff) + 1) : 0;
    },
  },
  VP8X: { bytes: 10, pixels: (data) => (data.readUIntLE(4, 3) + 1) * (data.readUIntLE(7, 3) + 1) },
};
/** Chunks with an image, or with one frame of an animation. */
const IMAGES: readonly string[] = ['VP8 ', 'VP8L', 'ANMF'];

/**
 * Returns the pixels of a WebP, or null when it is damaged or cut off: it is as long as its RIFF header says, chunks fill that
 * length, the first one says how large the image is, and one has an image (RFC 9649). What follows is not looked at.
 */
export async function pixelsOfWebp(file: FileWindow): Promise<number | null> {
  const end = 8 + (await file.bytes(0, 12)).readUInt32LE(4);
  if (end > file.size) return null;
  let pixels = 0;
  let hasImage = false;
  let at = 12;
  for (let parts = 0; parts < MAX_PARTS && at + 8 <= end; parts += 1) {
    const head = file.held(at, 18) ?? (await file.bytes(at, 18));
    const type = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    const size = sizes[type];
    if (size !== undefined) {
      const found = Math.min(length, head.length - 8) < size.bytes ? 0 : size.pixels(head.subarray(8));
      if (found === 0) return null;
      pixels = Math.max(pixels, found);
    }
    if (pixels === 0) return null;
    if (IMAGES.includes(type)) hasImage = true;
    // A chunk of an odd length is followed by a byte that fills it up, which some writers leave out at the end.
    at += 8 + length + (length % 2);
  }
  return hasImage && (at === end || at === end + 1) ? pixels : null;
}
