import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { unzip } from 'node:zlib';
import { parse } from '@hapi/bourne';
import type { Context } from 'koa';
import { AppError, BadRequest } from '../../../shared/engine/errors';
import type { WorkMeter } from '../../../shared/engine/fair';
import type { Limits } from '../limits/Limits';
import { checkJsonSize } from './jsonSize';
import { bodyTooLarge, receiveBody, type ReceivedBody } from './receiveBody';

/** The most bytes of a JSON body, both as received and as inflated. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** A received JSON body. */
export interface JsonBody {
  /**
   * Parses the body and releases the memory of its text; call it at most once. `undefined` for an absent or empty body. The meter
   * counts the time on the event loop.
   * @throws {AppError} 413 above 1 MiB when inflated; {@link ValidationFailed} for too many values; {@link BadRequest} for
   * bytes that are not UTF-8, and for malformed JSON.
   */
  parse(meter: WorkMeter): Promise<unknown>;
  /** Releases the memory. Safe to call twice. */
  release(): void;
}

const NO_BYTES = Buffer.alloc(0);

export const noBody: JsonBody = { parse: () => Promise.resolve(undefined), release: () => undefined };

/**
 * Receives the JSON body of a request. The caller parses it later, because a parsed body takes several times the memory.
 * @throws {AppError} 415 for a non-empty body of another type or charset, 413 above 1 MiB, and what {@link receiveBody} throws.
 */
export async function readJsonBody(ctx: Context, limits: Limits, companyId: number): Promise<JsonBody> {
  if (!hasBody(ctx)) return noBody;
  if (!isUtf8Json(ctx) && (await isEmpty(ctx, limits, companyId))) return noBody;
  const parse = jsonParser(ctx);
  let received: ReceivedBody | null = await receiveBody(ctx, limits, companyId, MAX_JSON_BYTES);
  const release = (): void => {
    received?.release();
    // The request may go on for as long as a job.
    received = null;
  };
  return { parse: (meter) => parse(received?.bytes ?? NO_BYTES, meter).finally(release), release };
}

/**
 * Returns a parser of the body for the request's `Content-Type` and `Content-Encoding`. It returns `undefined` for no bytes.
 * @param mostFields of the body; by default what a body of the API may have
 * @throws {AppError} 415 for another type or charset.
 */
export function jsonParser(ctx: Context, mostFields?: number): (bytes: Buffer, meter?: WorkMeter) => Promise<unknown> {
  if (!isUtf8Json(ctx)) throw unsupportedMediaType('application/json in UTF-8');
  const encoding = ctx.get('Content-Encoding');
  const inflate = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined;
  if (inflate === undefined) throw unsupportedMediaType('plain or compressed with gzip or deflate');
  return async (bytes, meter) => {
    const text = await inflate(bytes).catch((error: unknown) => Promise.reject(inflateError(error, encoding)));
    meter?.resume();
    return parseJson(text, mostFields);
  };
}

export function hasBody(ctx: Context): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

export function unsupportedMediaType(expected: string): AppError {
  return new AppError('unsupported_media_type', `the body must be ${expected}`, { status: 415 });
}

/** JSON is UTF-8 (RFC 8259, 8.1), which includes ASCII. A `charset` is not defined for it, but some clients send one. */
const CHARSETS: ReadonlySet<string> = new Set(['', 'utf-8', 'utf8', 'us-ascii']);

function isUtf8Json(ctx: Context): boolean {
  const isJson = ctx.is('application/json', 'application/*+json') !== false;
  return isJson && CHARSETS.has(ctx.request.charset.toLowerCase());
}

/** True for a chunked body that ends before its first byte. */
async function isEmpty(ctx: Context, limits: Limits, companyId: number): Promise<boolean> {
  try {
    (await receiveBody(ctx, limits, companyId, 0)).release();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.status === 413) return false;
    throw error;
  }
}

// Inflating stops as soon as the result is larger than a body may be.
const options = { maxOutputLength: MAX_JSON_BYTES };
const unzipAll = promisify<Buffer, typeof options, Buffer>(unzip);
const plain = (bytes: Buffer): Promise<Buffer> => Promise.resolve(bytes);

/** The decoders by Content-Encoding. Not Brotli: a crafted stream of 1 MiB occupies a thread for up to two seconds. */
const inflaters: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  '': plain,
  identity: plain,
  gzip: (bytes) => unzipAll(bytes, options),
  deflate: (bytes) => unzipAll(bytes, options),
};

function inflateError(error: unknown, encoding: string): AppError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return bodyTooLarge(MAX_JSON_BYTES);
  return new BadRequest('malformed_body', `the body is not ${encoding}, its Content-Encoding`);
}

/** Decodes UTF-8 and ignores a byte order mark. */
const decoder = new TextDecoder();

function parseJson(bytes: Buffer, mostFields?: number): unknown {
  checkJsonSize(bytes, mostFields);
  // The decoder would replace malformed bytes by U+FFFD, which would then be stored.
  if (!isUtf8(bytes)) throw new BadRequest('malformed_body', 'the body is not UTF-8');
  const text = decoder.decode(bytes);
  if (text === '') return undefined;
  if (!/^[ \t\n\r]*[[{]/.test(text)) throw new BadRequest('malformed_json', 'the body must be a JSON object or array');
  try {
    // Refuses a field `__proto__`.
    return parse(text) as unknown;
  } catch (error) {
    throw new BadRequest('malformed_json', `the body is not valid JSON: ${(error as Error).message}`);
  }
}
