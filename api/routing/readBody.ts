import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError, BadRequest } from '../../shared/errors';

const MAX_JSON_BYTES = 1024 * 1024;

const parseJson = koaBody({
  jsonLimit: MAX_JSON_BYTES,
  jsonTypes: ['application/json', 'application/*+json'],
  multipart: false,
  urlencoded: false,
  text: false,
});

/**
 * The JSON body of a request; an absent or empty one is `undefined`.
 * @throws {AppError} 415 for a non-empty body of another type, 413 above 1 MiB; {@link BadRequest} for malformed JSON.
 */
export async function readJsonBody(ctx: Context): Promise<unknown> {
  if (!hasBody(ctx)) return undefined;
  if (!ctx.is('application/json', 'application/*+json')) {
    if (await isEmpty(ctx)) return undefined;
    throw unsupportedMediaType('application/json');
  }
  try {
    await parseJson(ctx, () => Promise.resolve());
  } catch (error) {
    throw bodyError(error, ctx.get('Content-Encoding'));
  }
  return (ctx.request as { body?: unknown }).body;
}

export function hasBody(ctx: Context): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** True for a chunked body that ends before its first byte. */
async function isEmpty({ req }: Context): Promise<boolean> {
  if (req.headers['transfer-encoding'] === undefined) return false;
  const { done } = await req.iterator({ destroyOnReturn: false }).next();
  return done === true;
}

export function unsupportedMediaType(expected: string): AppError {
  return new AppError('unsupported_media_type', `the body must be ${expected}`, { status: 415 });
}

export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError('body_too_large', `the body must not be larger than ${maxBytes} bytes`, { status: 413 });
}

/** raw-body and co-body say what is wrong by status. */
function bodyError(error: unknown, encoding: string): unknown {
  const { status, type } = error as { status?: number; type?: string };
  if (status === 413 || type === 'entity.too.large') return bodyTooLarge(MAX_JSON_BYTES);
  if (status === 415) return unsupportedMediaType('application/json in UTF-8');
  if (status === 400 || error instanceof SyntaxError) {
    return new BadRequest('malformed_json', `the body is not valid JSON: ${(error as Error).message}`);
  }
  if (encoding !== '') return new BadRequest('malformed_body', `the body is not ${encoding}, its Content-Encoding`);
  return error;
}
