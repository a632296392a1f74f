import { setImmediate } from 'node:timers/promises';
import { deflateSync, inflateSync } from 'node:zlib';

/** Everything at `from` or later in the file moves by this many bytes. */
interface Growth {
  from: number;
  by: number;
}

/**
 * Moves the margins of each page (such as the page number) behind its content, and marks them as an artifact. Chromium draws the
 * margins first and does not mark them, so extracted text would begin each page with the page number.
 * Returns a file unchanged that has no tags or not the structure of Chromium's files.
 * Source: ISO 32000-1, 7.5 "File Structure" and 14.8.2.2 "Real Content and Artifacts".
 */
export async function marginsLast(pdf: Buffer): Promise<Buffer> {
  const text = pdf.toString('latin1');
  const table = /\nxref\n(0 \d+)\n((?:\d{10} \d{5} [nf] \n)+)(trailer\n[^]*?startxref\n)\d+\n%%EOF\s*$/.exec(text);
  if (table === null) return pdf;
  const [, size, entries = '', trailer] = table;
  const offsets = Array.from(entries.matchAll(/\d{10}/g), ([digits]) => Number(digits));
  const contents = Array.from(text.matchAll(/\/Contents (\d+) 0 R/g), ([, number]) => offsets[Number(number)] ?? 0);

  const pieces: Buffer[] = [];
  const growths: Growth[] = [];
  let copied = 0;
  for (const start of contents.sort((a, b) => a - b)) {
    const stream = streamAt(pdf, text, start);
    const content = stream && reordered(inflateSync(stream.data).toString('latin1'));
    if (!stream || content === null) continue;
    const data = deflateSync(Buffer.from(content, 'latin1'));
    const head = Buffer.from(`${stream.head}${data.length}>> stream\n`, 'latin1');
    pieces.push(pdf.subarray(copied, start), head, data);
    growths.push({ from: stream.end, by: head.length + data.length - (stream.end - start) });
    copied = stream.end;
    // A page takes a fraction of a millisecond, but hundreds of them must not block the event loop.
    await setImmediate();
  }
  const end = table.index + 1;
  const newEntries = entries.split('\n').map((entry) => entry.slice(10));
  const newOffsets = shifted([...offsets, end], growths);
  const lines = offsets.map((_, number) => String(newOffsets[number]).padStart(10, '0') + (newEntries[number] ?? ''));
  const tail = `xref\n${size}\n${lines.join('\n')}\n${trailer}${newOffsets[offsets.length]}\n%%EOF\n`;
  return Buffer.concat([...pieces, pdf.subarray(copied, end), Buffer.from(tail, 'latin1')]);
}

/** Returns the compressed stream of the object that begins at `start`, and the text of the object before the stream's length. */
function streamAt(pdf: Buffer, text: string, start: number): { head: string; data: Buffer; end: number } | null {
  const beginning = /^(\d+ 0 obj\n<<\/Filter \/FlateDecode\n\/Length )(\d+)>> stream\n/.exec(
    text.slice(start, start + 100),
  );
  if (beginning === null) return null;
  const [whole, head = '', length] = beginning;
  const from = start + whole.length;
  const end = from + Number(length);
  return { head, data: pdf.subarray(from, end), end };
}

/** Moves the groups that are drawn before the first tag to the end of the content, as an artifact. Null without a tag or group. */
function reordered(content: string): string | null {
  let depth = 0;
  let [first, last] = [-1, -1];
  for (let at = 0, next; (next = content.indexOf('\n', at) + 1) > 0; at = next) {
    const line = content.slice(at, next - 1);
    if (line.endsWith('BDC')) {
      if (last === -1) return null;
      const margins = `/Artifact <</Type /Pagination>> BDC\n${content.slice(first, last)}EMC\n`;
      return `${content.slice(0, first)}${content.slice(last)}\n${margins}`;
    }
    if (line === 'q' && depth++ === 0 && first === -1) first = at;
    if (line === 'Q' && --depth === 0) last = next;
  }
  return null;
}

/** Returns the offsets after the file has grown. */
function shifted(offsets: readonly number[], growths: readonly Growth[]): number[] {
  const result = [...offsets];
  let by = 0;
  let next = 0;
  for (const [index, offset] of [...offsets.entries()].sort(([, a], [, b]) => a - b)) {
    for (let growth; (growth = growths[next]) !== undefined && growth.from <= offset; next++) by += growth.by;
    result[index] = offset + by;
  }
  return result;
}
