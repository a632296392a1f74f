import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import { parse } from '@hapi/bourne';
import type { Context } from 'koa';
import { AppError, BadRequest } from '../../shared/errors';
import type { Limits } from '../limits/Limits';
import { checkJsonSize } from './jsonSize';
import { bodyTooLarge, receiveBody } from './receiveBody';

const MAX_JSON_BYTES = 1024 * 1024;

/** A JSON body that has arrived. */
export interface JsonBody {
  /**
   * The value, once; `undefined` for an absent or empty body. Gives the memory of the text back.
   * @throws {AppError} 413 above 1 MiB when inflated; {@link ValidationFailed} for too many values; {@link BadRequest} for
   * malformed JSON.
   */
  parse(): Promise<unknown>;
  /** Gives the memory back. Safe to call twice. */
  release(): void;
}

export const noBody: JsonBody = { parse: () => Promise.resolve(undefined), release: () => undefined };

/**
 * Receives the JSON body of a request. It is parsed later, since a parsed body takes several times the memory.
 * @throws {AppError} 415 for a non-empty body of another type, 413 above 1 MiB, and what {@link receiveBody} throws.
 */
export async function readJsonBody(ctx: Context, limits: Limits, companyId: number): Promise<JsonBody> {
  if (!hasBody(ctx)) return noBody;
  if (!ctx.is('application/json', 'application/*+json')) {
    if (!(await isEmpty(ctx, limits, companyId))) throw unsupportedMediaType('application/json');
    return noBody;
  }
  const encoding = ctx.get('Content-Encoding');
  const inflate = inflaters[encoding];
  if (inflate === undefined) throw unsupportedMediaType('plain or compressed with gzip, deflate or br');
  const received = await receiveBody(ctx, limits, companyId, MAX_JSON_BYTES);
  const release = (): void => received.release();
  return {
    parse: async () => {
      try {
        return parseJson(
          await inflate(received.bytes).catch((error: unknown) => Promise.reject(inflateError(error, encoding))),
        );
      } finally {
        release();
      }
    },
    release,
  };
}

export function hasBody(ctx: Context): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

export function unsupportedMediaType(expected: string): AppError {
  return new AppError('unsupported_media_type', `the body must be ${expected}`, { status: 415 });
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

// Inflating stops as soon as it has made more than a body may have.
const options = { maxOutputLength: MAX_JSON_BYTES };
const unzipAll = promisify<Buffer, typeof options, Buffer>(unzip);
const unbrotli = promisify<Buffer, typeof options, Buffer>(brotliDecompress);
const plain = (bytes: Buffer): Promise<Buffer> => Promise.resolve(bytes);

/** By Content-Encoding. */
const inflaters: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  '': plain,
  identity: plain,
  gzip: (bytes) => unzipAll(bytes, options),
  deflate: (bytes) => unzipAll(bytes, options),
  br: (bytes) => unbrotli(bytes, options),
};

function inflateError(error: unknown, encoding: string): AppError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return bodyTooLarge(MAX_JSON_BYTES);
  return new BadRequest('malformed_body', `the body is not ${encoding}, its Content-Encoding`);
}

/** UTF-8; a byte order mark means nothing. */
const decoder = new TextDecoder();

function parseJson(bytes: Buffer): unknown {
  checkJsonSize(bytes);
  const text = decoder.decode(bytes);
  if (text === '') return undefined;
  if (!/^[ \t\n\r]*[[{]/.test(text)) throw new BadRequest('malformed_json', 'the body must be a JSON object or array');
  try {
    // A field `__proto__` is refused.
    return parse(text) as unknown;
  } catch (error) {
    throw new BadRequest('malformed_json', `the body is not valid JSON: ${(error as Error).message}`);
  }
}
