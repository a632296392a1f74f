import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import {
  Overloaded,
  RequestAborted,
  RequestTimeout,
  ServiceUnavailable,
  ValidationFailed,
} from '../../../shared/kernel/errors';
import { isSystemError } from '../../../shared/kernel/files/systemErrors';
import type { Upload } from '../../../shared/kernel/files/Upload';
import type { Limits } from '../limits/Limits';
import { uploadFolders } from './abandonedUploads';
import { paceBody } from './paceBody';
import { hasBody, unsupportedMediaType } from './readBody';
import { bodyTooLarge, declaredLength, Interruption, inviteBody } from './receiveBody';
import type { UploadRule } from './Route';

/** Bytes for everything around the file: boundaries, part headers, and small fields, which are ignored. */
const FRAMING_BYTES = 64 * 1024;
/** The rest of a refused body is read for this long, so that a client that reads only after sending gets its response. */
const LINGER_MS = 1_000;
const MAX_LINGER_MS = 10_000;

interface ParsedFile {
  filepath: string;
  size: number;
  hash?: string | null;
  mimetype: string | null;
}

/**
 * Runs `use` with the one file of a multipart body, and removes the file afterwards. The file is written to disk as it arrives; its
 * disk space is reserved before the first byte.
 * @throws {AppError} 415 for another type, 413 when the file is too large; {@link ValidationFailed} when there is not exactly
 * one file, it is empty, or the body is cut off; {@link ServiceUnavailable} when the file cannot be written to the local disk;
 * {@link Overloaded}, {@link RequestTimeout}, {@link RequestAborted} as {@link receiveBody} throws them.
 */
export async function withUpload<T>(
  ctx: Context,
  rule: UploadRule,
  { limits, companyId }: { limits: Limits; companyId: number },
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  if (hasBody(ctx) && !ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data');
  const interruption = new Interruption();
  const holding = limits.uploads.open(companyId, () => interruption.raise(new Overloaded('uploads')));
  try {
    const most = rule.maxBytes + FRAMING_BYTES;
    const declared = declaredLength(ctx) ?? most;
    if (declared > most) throw bodyTooLarge(rule.maxBytes);
    if (!holding.tryTake(declared)) throw new Overloaded('uploads');
    return await inFolder(async (folder) => {
      const stopWatching = limits.bodyRate.watch(ctx.req, () => interruption.raise(new RequestTimeout()));
      const stopPacing = paceBody(ctx.req, limits.bodyPace, companyId);
      const upload = await receive(ctx, rule, folder, interruption).finally(() => {
        stopWatching();
        stopPacing();
      });
      holding.finish();
      return use(upload);
    });
  } catch (error) {
    await linger(ctx.req);
    throw error;
  } finally {
    holding.release();
  }
}

/** Runs `use` with a new folder, and removes the folder afterwards. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(uploadFolders()).catch((error: unknown) => Promise.reject(noRoom(error)));
  try {
    return await use(folder);
  } finally {
    // A file that is just being opened may appear meanwhile.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function receive(ctx: Context, rule: UploadRule, folder: string, interruption: Interruption): Promise<Upload> {
  if (ctx.req.destroyed) throw new RequestAborted();
  inviteBody(ctx);
  const interrupted = new Promise<never>((_, reject) => {
    interruption.listen(reject);
    ctx.req.once('aborted', () => reject(new RequestAborted()));
  });
  const files = await Promise.race([parse(ctx, rule, folder), interrupted]).catch((error: unknown) => {
    // Makes formidable close the file that it writes.
    ctx.req.emit('aborted');
    throw error;
  });
  const [found] = files.filter(({ field }) => rule.anyField === true || field === rule.field);
  if (found === undefined || found.file.size === 0) {
    throw ValidationFailed.at(found?.field ?? rule.field, 'must be a file that is not empty');
  }
  const { field, file } = found;
  const declaredType = file.mimetype?.split(';')[0]?.trim().toLowerCase() || null;
  const path = join(folder, 'file');
  await checkWritten(path, file.size);
  return { path, size: file.size, sha256: file.hash ?? '', declaredType, field };
}

async function parse(ctx: Context, rule: UploadRule, folder: string): Promise<{ field: string; file: ParsedFile }[]> {
  const { koaBody } = await import('./multipartParser.js');
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

/** Tests whether a part is a file: it has a file name or a media type. Other parts are fields. */
function isFile({ originalFilename, mimetype }: { originalFilename: string | null; mimetype: string | null }): boolean {
  return originalFilename !== null || /^(image\/|application\/(pdf|octet-stream))/i.test(mimetype ?? '');
}

/** Translates formidable's numeric error codes. */
function uploadError(error: unknown, { field, maxBytes }: UploadRule): unknown {
  const { httpCode, code } = error as { httpCode?: number; code?: number | string };
  if (code === 1007) return ValidationFailed.at('body', 'has too many fields beside the file');
  if (code === 1015) return ValidationFailed.at(field, 'must be exactly one file');
  if (httpCode === 413 || code === 1009 || code === 1016) return bodyTooLarge(maxBytes);
  const isCutOff = code === 1002 || code === 'ECONNRESET';
  if (httpCode === 400 || httpCode === 501 || isCutOff) {
    return ValidationFailed.at('body', 'is not a complete multipart/form-data body with one file');
  }
  return isSystemError(error) ? noRoom(error) : error;
}

/** Checks the size of the file, because formidable does not report a write that fails at the end of a body. */
async function checkWritten(path: string, received: number): Promise<void> {
  const written = await stat(path).catch((error: unknown) => Promise.reject(noRoom(error)));
  if (written.size !== received) throw noRoom(new Error(`${received} bytes received, ${written.size} on disk`));
}

/** The folder of uploads is full, read-only or missing, or the process has no file handle left. */
const noRoom = (error: unknown): ServiceUnavailable => new ServiceUnavailable('the folder of uploads', error);

async function linger(request: IncomingMessage): Promise<void> {
  request.resume();
  for (const deadline = Date.now() + MAX_LINGER_MS; Date.now() < deadline;) {
    if (request.complete || request.destroyed) return;
    const { bytesRead } = request.socket;
    await endOrTimeout(request, LINGER_MS);
    if (request.socket.bytesRead === bytesRead) return;
  }
}

async function endOrTimeout(request: IncomingMessage, ms: number): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = [once(request, 'close', { signal }), once(request, 'end', { signal })];
  // Any end will do, including a broken connection.
  await Promise.race([...ended, sleep(ms, undefined, { signal })]).catch(() => undefined);
  waiting.abort();
  await Promise.allSettled(ended);
}
