import { type FileWindow, WINDOW } from './FileWindow';
import { MAX_PARTS } from './maxParts';

const FILL = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
/** Markers between the frame headers C0 to CF that are none: tables, an extension, conditioning. */
const NO_FRAMES: readonly number[] = [0xc4, 0xc8, 0xcc];

/**
 * Returns the pixels of a JPEG, or null when it is damaged or cut off: it has a frame header, and its end marker comes after
 * a scan (ITU-T T.81, B.2). Phones append things to it: a second picture, a video.
 */
export async function pixelsOfJpeg(file: FileWindow): Promise<number | null> {
  let pixels = 0;
  let at = 2;
  for (let parts = 0; parts < MAX_PARTS; parts += 1) {
    const head = file.held(at, 9) ?? (await file.bytes(at, 9));
    if (head.length < 4 || head[0] !== FILL) return null;
    const marker = head[1] ?? 0;
    if (marker === FILL) {
      // Any number of fill bytes may precede a marker, whose own first byte is the last of them.
      const following = file.rest(at + 1);
      const other = following.findIndex((byte) => byte !== FILL);
      at += other < 0 ? following.length : other;
      continue;
    }
    if (isFrame(marker) && head.length === 9) pixels = head.readUInt16BE(5) * head.readUInt16BE(7);
    at += 2 + Math.max(head.readUInt16BE(2), 2);
    if (marker === START_OF_SCAN) return pixels > 0 && (await hasEnd(file, at)) ? pixels : null;
  }
  return null;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.includes(marker);
}

/** From the first scan on, tables between scans included: they hold no end marker but by chance. */
async function hasEnd(file: FileWindow, from: number): Promise<boolean> {
  for (let at = from; ;) {
    const piece = await file.bytes(at, WINDOW);
    if (piece.length < 2) return false;
    if (piece.includes(END_OF_IMAGE)) return true;
    // The marker may lie across the edge of two pieces.
    at += piece.length - 1;
  }
}
