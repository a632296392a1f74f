import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { ValidationFailed } from '../../shared/errors';
import type { Upload } from '../../shared/files/Upload';
import { uploadFolders } from './abandonedUploads';
import { bodyTooLarge, hasBody, unsupportedMediaType } from './readBody';
import type { UploadRule } from './Route';

/** Room for what surrounds the file: boundaries, part headers, and small fields, which mean nothing. */
const FRAMING_BYTES = 64 * 1024;
/** How long the rest of a refused body is read, so that a client that sends first and reads later gets its answer. */
const LINGER_MS = 1_000;

interface ParsedFile {
  filepath: string;
  size: number;
  hash?: string | null;
  mimetype: string | null;
}

/**
 * Runs `use` with the one file of a multipart body, which is written to disk as it comes, and removes it in the end.
 * @throws {AppError} 415 for another type, 413 when the file is too large; {@link ValidationFailed} when there is not exactly
 * one file, it is empty, or the body is cut off.
 */
export async function withUpload<T>(ctx: Context, rule: UploadRule, use: (upload: Upload) => Promise<T>): Promise<T> {
  if (hasBody(ctx) && !ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data');
  const folder = await mkdtemp(uploadFolders());
  try {
    return await use(await receive(ctx, rule, folder));
  } finally {
    // A file that is just being opened may appear meanwhile.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function receive(ctx: Context, rule: UploadRule, folder: string): Promise<Upload> {
  try {
    if (Number(ctx.get('Content-Length')) > rule.maxBytes + FRAMING_BYTES) throw bodyTooLarge(rule.maxBytes);
    const files = await parse(ctx, rule, folder);
    const [found] = files.filter(({ field }) => rule.anyField === true || field === rule.field);
    if (found === undefined || found.file.size === 0) {
      throw ValidationFailed.at(found?.field ?? rule.field, 'must be a file that is not empty');
    }
    const { field, file } = found;
    const declaredType = file.mimetype?.split(';')[0]?.trim().toLowerCase() || null;
    return { path: join(folder, 'file'), size: file.size, sha256: file.hash ?? '', declaredType, field };
  } catch (error) {
    await linger(ctx.req);
    throw error;
  }
}

async function parse(ctx: Context, rule: UploadRule, folder: string): Promise<{ field: string; file: ParsedFile }[]> {
  const parseMultipart = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    formidable: {
      uploadDir: folder,
      filename: () => 'file',
      hashAlgorithm: 'sha256',
      maxFileSize: rule.maxBytes,
      maxFiles: 1,
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFields: 100,
      maxFieldsSize: FRAMING_BYTES,
      onPart: (part, handle) => {
        part.mimetype = isFile(part) ? (part.mimetype ?? 'application/octet-stream') : null;
        handle(part);
      },
    },
  });
  try {
    await parseMultipart(ctx, () => Promise.resolve());
  } catch (error) {
    throw uploadError(error, rule);
  }
  const given = (ctx.request as { files?: Record<string, ParsedFile | ParsedFile[] | undefined> }).files ?? {};
  return Object.entries(given).flatMap(([field, file]) => [file ?? []].flat().map((one) => ({ field, file: one })));
}

/** A file's name makes a part a file, with or without a type; and so does the type of one. Other parts are fields. */
function isFile({ originalFilename, mimetype }: { originalFilename: string | null; mimetype: string | null }): boolean {
  return originalFilename !== null || /^(image\/|application\/(pdf|octet-stream))/i.test(mimetype ?? '');
}

/** formidable says what is wrong by number. */
function uploadError(error: unknown, { field, maxBytes }: UploadRule): unknown {
  const { httpCode, code } = error as { httpCode?: number; code?: number | string };
  if (code === 1007) return ValidationFailed.at('body', 'has too many fields beside the file');
  if (code === 1015) return ValidationFailed.at(field, 'must be exactly one file');
  if (httpCode === 413 || code === 1009 || code === 1016) return bodyTooLarge(maxBytes);
  const isCutOff = code === 1002 || code === 'ECONNRESET';
  if (httpCode === 400 || httpCode === 501 || isCutOff) {
    return ValidationFailed.at('body', 'is not a complete multipart/form-data body with one file');
  }
  return error;
}

async function linger(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  request.resume();
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = [once(request, 'close', { signal }), once(request, 'end', { signal })];
  // However it ends, a broken connection included: there is nothing more to read.
  await Promise.race([...ended, sleep(LINGER_MS, undefined, { signal })]).catch(() => undefined);
  waiting.abort();
  await Promise.allSettled(ended);
}
