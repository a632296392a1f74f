import { refusedLogo } from './LogoImage';

const START = 0xffd8;
const END = 0xffd9;
const START_OF_SCAN = 0xda;
/** Baseline, extended sequential and progressive: what browsers decode. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];

/**
 * Size in pixels of a JPEG, found in its frame header (ITU-T T.81, B.1.1 and B.2.2); null for other bytes.
 * @throws {ValidationFailed} when it is damaged, or of a kind that browsers do not show.
 */
export function readJpegSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length < 3 || bytes.readUInt16BE(0) !== START || bytes[2] !== 0xff) return null;
  let size: { width: number; height: number } | undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (FRAMES.includes(marker) && at + 9 <= bytes.length) {
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    if (marker === START_OF_SCAN) {
      if (size !== undefined && bytes.lastIndexOf(Buffer.from([END >> 8, END & 0xff])) > at) return size;
      break;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  throw refusedLogo('is a damaged JPEG, or of a kind that browsers do not show');
}
