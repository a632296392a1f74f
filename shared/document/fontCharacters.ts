import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** Both ends belong to it. */
export type CodePointRange = readonly [first: number, last: number];

/**
 * The characters that a WOFF2 file really draws, from its `cmap` table, as inclusive ranges in rising order. What the
 * packages declare is more than the fonts have, and a browser that believes it prints empty boxes.
 * Source: W3C WOFF 2.0, 4 and 5; OpenType `cmap`, formats 4 and 12.
 * @throws {Error} when the file is no WOFF2 or has no Unicode table.
 */
export function fontCharacters(file: string): CodePointRange[] {
  const cmap = readTable(readFileSync(file), 'cmap');
  const subtable = cmap && unicodeSubtable(cmap);
  if (!subtable) throw new Error(`${file} has no Unicode character map`);
  const codePoints = subtable.readUInt16BE(0) === 12 ? readFormat12(subtable) : readFormat4(subtable);
  return toRanges(codePoints);
}

/** The tags that WOFF2 writes as numbers, up to those that are looked for here. */
const knownTags = ['cmap', 'head', 'hhea', 'hmtx', 'maxp', 'name', 'OS/2', 'post', 'cvt ', 'fpgm', 'glyf', 'loca'];

function readTable(woff2: Buffer, wanted: string): Buffer | null {
  if (woff2.toString('latin1', 0, 4) !== 'wOF2') return null;
  let at = 48;
  const readBase128 = (): number => {
    let value = 0;
    for (;;) {
      const byte = woff2.readUInt8(at++);
      value = value * 128 + (byte & 0x7f);
      if ((byte & 0x80) === 0) return value;
    }
  };
  let offset = 0;
  let found: { offset: number; length: number } | null = null;
  for (let table = woff2.readUInt16BE(12); table > 0; table--) {
    const flags = woff2.readUInt8(at++);
    const known = flags & 0x3f;
    const tag = known === 0x3f ? woff2.toString('latin1', at, (at += 4)) : (knownTags[known] ?? '');
    const originalLength = readBase128();
    const version = flags >> 6;
    const transformed = tag === 'glyf' || tag === 'loca' ? version !== 3 : version !== 0;
    const length = transformed ? readBase128() : originalLength;
    if (tag === wanted) found = { offset, length };
    offset += length;
  }
  if (!found) return null;
  const data = brotliDecompressSync(woff2.subarray(at, at + woff2.readUInt32BE(20)));
  return data.subarray(found.offset, found.offset + found.length);
}

/** The subtable of the widest Unicode encoding: format 12 for all planes, else format 4. */
function unicodeSubtable(cmap: Buffer): Buffer | null {
  let format4: Buffer | null = null;
  for (let record = 0; record < cmap.readUInt16BE(2); record++) {
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + record * 8 + 4));
    const format = subtable.readUInt16BE(0);
    if (format === 12) return subtable;
    if (format === 4) format4 = subtable;
  }
  return format4;
}

function readFormat12(table: Buffer): number[] {
  const codePoints: number[] = [];
  for (let group = 0; group < table.readUInt32BE(12); group++) {
    const at = 16 + group * 12;
    for (let c = table.readUInt32BE(at); c <= table.readUInt32BE(at + 4); c++) codePoints.push(c);
  }
  return codePoints;
}

function readFormat4(table: Buffer): number[] {
  const segments = table.readUInt16BE(6);
  const starts = 16 + segments;
  const codePoints: number[] = [];
  for (let segment = 0; segment < segments; segment += 2) {
    const end = table.readUInt16BE(14 + segment);
    const start = table.readUInt16BE(starts + segment);
    for (let c = start; c <= end && c < 0xffff; c++) if (glyphInFormat4(table, segment, c) !== 0) codePoints.push(c);
  }
  return codePoints;
}

function glyphInFormat4(table: Buffer, segment: number, codePoint: number): number {
  const segments = table.readUInt16BE(6);
  const starts = 16 + segments;
  const delta = table.readUInt16BE(starts + segments + segment);
  const rangeAt = starts + 2 * segments + segment;
  const rangeOffset = table.readUInt16BE(rangeAt);
  if (rangeOffset === 0) return (codePoint + delta) & 0xffff;
  const glyph = table.readUInt16BE(rangeAt + rangeOffset + 2 * (codePoint - table.readUInt16BE(starts + segment)));
  return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
}

function toRanges(codePoints: number[]): CodePointRange[] {
  const ranges: [number, number][] = [];
  for (const codePoint of codePoints.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && codePoint <= last[1] + 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}
