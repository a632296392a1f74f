import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { AppError } from '../../../shared/engine/errors';
import type { OpenFile } from '../../../shared/engine/files';
import type { Turn } from '../../../shared/engine/fair';
import { FILE_PIECE_MS } from '../limits/Limits';
import { PIECE_BYTES } from '../limits/OpenResponses';

/** Bytes of a file, from the first to the last. */
export interface ByteRange {
  first: number;
  last: number;
}

/** One range: `0-99`, `100-`, or `-50` for the last 50 bytes. */
const RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/** A range as a client asks for it, before the size is known. */
export type RequestedRange = ByteRange | { lastBytes: number };

/**
 * Returns the range that a GET asks for. Null when the response is the whole file: without a range, with several, with a malformed one,
 * and with an `If-Range` that is not the file's (strong) entity tag (RFC 9110, 13.1.5 and 14.2).
 */
export function requestedRange({ method, headers }: Context, etag: string): RequestedRange | null {
  const { range, 'if-range': ifRange } = headers;
  if (range === undefined || method !== 'GET') return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const [matched, from = '', to = '', suffix] = RANGE.exec(range) ?? [];
  if (matched === undefined) return null;
  if (suffix !== undefined) return { lastBytes: offset(suffix) };
  const [first, last] = [offset(from), to === '' ? Infinity : offset(to)];
  return last < first ? null : { first, last };
}

const offset = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER);

/** Returns where a file is opened for the range; negative: so many bytes before its end. */
export function startOf(range: RequestedRange | null): number {
  if (range === null) return 0;
  return 'lastBytes' in range ? 0 - range.lastBytes : range.first;
}

/** Returns the part of a file that the range asks for. @throws {AppError} 416 for a range that begins past the end. */
export function rangeWithin(range: RequestedRange, size: number): ByteRange {
  const first = 'lastBytes' in range ? Math.max(size - range.lastBytes, 0) : range.first;
  if (first >= size) throw notSatisfiable(size);
  return { first, last: 'lastBytes' in range ? size - 1 : Math.min(range.last, size - 1) };
}

function notSatisfiable(size: number): AppError {
  return new AppError('range_not_satisfiable', `the range begins past the end of the file, which has ${size} bytes`, {
    status: 416,
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

/**
 * Returns a part of a file. Each piece of a stream is read and sent in the turn of its company, like a record of a large list. Reads
 * nothing while its reader takes nothing, and then holds no slot. A failure of the file ends the returned stream too.
 */
export function partOf({ content, first }: OpenFile, range: ByteRange, turn: Turn): OpenFile['content'] {
  if (Buffer.isBuffer(content)) return content.subarray(range.first - first, range.last + 1 - first);
  const pieces = within(content, { first: range.first - first, last: range.last - first });
  const part = new Readable({
    highWaterMark: PIECE_BYTES,
    read: () => {
      const send = async (): Promise<void> => {
        const next = await pieces.next();
        // `push` writes to the connection immediately unless the reader is slow, so the write is measured as well.
        turn.meter.resume();
        turn.meter.add(FILE_PIECE_MS);
        part.push(next.done === true ? null : next.value);
      };
      turn.further(send).catch((error: Error) => part.destroy(error));
    },
    destroy: (error, done) => {
      content.destroy();
      done(error);
    },
  });
  content.on('error', (error) => part.destroy(error));
  return part;
}

async function* within(chunks: AsyncIterable<Buffer>, { first, last }: ByteRange): AsyncGenerator<Buffer, void> {
  let at = 0;
  for await (const chunk of chunks) {
    if (at + chunk.length > first) yield chunk.subarray(Math.max(first - at, 0), last + 1 - at);
    at += chunk.length;
    if (at > last) return;
  }
}
