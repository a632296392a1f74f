import { crc32 } from 'node:zlib';
import { type FileWindow, WINDOW } from './FileWindow';
import { MAX_PARTS } from './maxParts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_OVERHEAD = 12;

/**
 * Returns the pixels of a PNG, or null when it is damaged or cut off: from its header to its end chunk every chunk is whole
 * and has the right checksum (W3C PNG, 5.3). What follows is not looked at.
 */
export async function pixelsOfPng(file: FileWindow): Promise<number | null> {
  let pixels = 0;
  let hasData = false;
  let at = SIGNATURE_BYTES;
  for (let parts = 0; parts < MAX_PARTS && at + CHUNK_OVERHEAD <= file.size; parts += 1) {
    const head = file.held(at, 16) ?? (await file.bytes(at, 16));
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    const end = at + CHUNK_OVERHEAD + length;
    if (end > file.size || !(await hasRightChecksum(file, at + 4, end - 4))) return null;
    if (at === SIGNATURE_BYTES) {
      if (type !== 'IHDR' || length !== 13) return null;
      pixels = head.readUInt32BE(8) * head.readUInt32BE(12);
    }
    if (type === 'IDAT') hasData = true;
    if (type === 'IEND') return hasData && pixels > 0 ? pixels : null;
    at = end;
  }
  return null;
}

async function hasRightChecksum(file: FileWindow, from: number, end: number): Promise<boolean> {
  let checksum = 0;
  for (let at = from; at < end; at += WINDOW) {
    const length = Math.min(WINDOW, end - at);
    checksum = crc32(file.held(at, length) ?? (await file.bytes(at, length)), checksum);
  }
  return (file.held(end, 4) ?? (await file.bytes(end, 4))).readUInt32BE(0) === checksum;
}
