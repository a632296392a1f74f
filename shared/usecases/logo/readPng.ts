import { crc32 } from 'node:zlib';
import { refusedLogo } from './LogoImage';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Length, type and checksum around the data of a chunk. */
const CHUNK_OVERHEAD = 12;

/**
 * Size in pixels of a whole PNG, and its bytes without what may follow its end (W3C PNG, 5.2 and 5.3); null for other bytes.
 * @throws {ValidationFailed} when a chunk is damaged or missing.
 */
export function readPng(bytes: Buffer): { width: number; height: number; bytes: Buffer } | null {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return null;
  let size: { width: number; height: number } | undefined;
  let hasPixels = false;
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + CHUNK_OVERHEAD + length;
    const typeAndData = bytes.subarray(at + 4, end - 4);
    if (end > bytes.length || crc32(typeAndData) !== bytes.readUInt32BE(end - 4)) break;
    const type = typeAndData.toString('latin1', 0, 4);
    if (size === undefined) {
      if (type !== 'IHDR' || length !== 13) break;
      size = { width: typeAndData.readUInt32BE(4), height: typeAndData.readUInt32BE(8) };
    }
    if (type === 'IDAT') hasPixels = true;
    if (type === 'IEND' && hasPixels) return { ...size, bytes: bytes.subarray(0, end) };
    at = end;
  }
  throw refusedLogo('is a damaged PNG');
}
