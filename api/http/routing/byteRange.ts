import { PassThrough, pipeline } from 'node:stream';
import type { Context } from 'koa';
import { AppError } from '../../../shared/kernel/errors';
import type { OpenFile } from '../../../shared/kernel/files/FileStore';

/** Bytes of a file, from the first to the last. */
export interface ByteRange {
  first: number;
  last: number;
}

/** One range: `0-99`, `100-`, or `-50` for the last 50 bytes. */
const RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * Returns the range of a file that a GET asks for. Null when the response is the whole file: without a range, with several, with a
 * malformed one, and with an `If-Range` that is not the file's (strong) entity tag (RFC 9110, 13.1.5 and 14.2).
 * @throws {AppError} 416 for a range that begins past the end.
 */
export function requestedRange({ method, headers }: Context, size: number, etag: string): ByteRange | null {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || method !== 'GET') return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const [matched, from = '', to = '', suffix] = RANGE.exec(range) ?? [];
  if (matched === undefined) return null;
  const first = suffix === undefined ? Number(from) : Math.max(size - Number(suffix), 0);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return null;
  if (first >= size) throw notSatisfiable(size);
  return { first, last };
}

function notSatisfiable(size: number): AppError {
  return new AppError('range_not_satisfiable', `the file has ${size} bytes`, {
    status: 416,
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

/** Returns a part of a file. A stream is read from the beginning of the file to the end of the part. */
export function partOf(content: OpenFile['content'], range: ByteRange): OpenFile['content'] {
  if (Buffer.isBuffer(content)) return content.subarray(range.first, range.last + 1);
  // The reader gets a failure too: it destroys the returned stream.
  return pipeline(
    content,
    (chunks: AsyncIterable<Buffer>) => within(chunks, range),
    new PassThrough(),
    () => undefined,
  );
}

async function* within(chunks: AsyncIterable<Buffer>, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of chunks) {
    if (offset + chunk.length > first) yield chunk.subarray(Math.max(first - offset, 0), last + 1 - offset);
    offset += chunk.length;
    if (offset > last) return;
  }
}
