import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip, type ZlibOptions } from 'node:zlib';
import type { Context } from 'koa';

/** JSON of up to this many bytes is not compressed, because it fits into one packet. */
const MIN_BYTES = 1024;

/** Bytes that zlib holds for one stream, by its manual: 256 KiB with the default window and memory level. */
export const GZIP_STREAM_BYTES = 256 * 1024;

/**
 * The fastest level: 64 KiB take at most 1 ms of a processor, whatever the text. With the default level a text of four letters takes 10 ms,
 * and a list of invoices 2.5 times as long for a tenth fewer bytes.
 */
const fastest: ZlibOptions = { level: constants.Z_BEST_SPEED };

/** Added to the version in the entity tag of a compressed response. */
const SUFFIX = '+gzip"';

/**
 * Decides whether to compress a JSON response of `bytes` (null: unknown), and sets the headers that depend on it. Only gzip is
 * offered: every client that decodes br decodes gzip too, and br would hold several MiB for each streamed list.
 *
 * A strong entity tag names bytes, so the compressed response has another one than the plain response (RFC 9110, 8.8.3.3):
 * `"abc"` becomes `"abc+gzip"`. Both name the same version of the record, see {@link recordTags}.
 */
export function negotiateGzip(ctx: Context, bytes: number | null): boolean {
  if (bytes !== null && bytes <= MIN_BYTES) return false;
  ctx.vary('Accept-Encoding');
  if (ctx.headers['accept-encoding'] === undefined || ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return false;
  if (ctx.res.hasHeader('ETag')) ctx.set('ETag', ctx.response.get('ETag').replace(/"$/, SUFFIX));
  return true;
}

/** Returns the tags of an `If-Match` as those of plain responses, so that a tag of a compressed response matches its record. */
export function recordTags(ifMatch: string): string {
  return ifMatch.replaceAll(SUFFIX, '"');
}

/** Compresses in the thread pool of Node.js, not on the event loop. */
export const zip = (body: Buffer | string): Promise<Buffer> => compress(body, fastest);

const compress = promisify<Buffer | string, ZlibOptions, Buffer>(gzip);

/** Compresses a stream at the pace of its reader. A failure of either stream ends both. */
export function zipStream(content: Readable): Readable {
  // The reader gets a failure too: it destroys the returned stream.
  return pipeline(content, createGzip(fastest), () => undefined);
}
