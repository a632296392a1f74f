import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import {
  type AppError,
  Overloaded,
  RequestAborted,
  RequestTimeout,
  ServiceUnavailable,
  ValidationFailed,
} from '../../../shared/engine/errors';
import { isSystemError, type Upload } from '../../../shared/engine/files';
import type { FlowKey } from '../../../shared/engine/fair';
import type { Limits } from '../limits/Limits';
import type { BodyPace } from '../limits/Pace';
import { uploadFolders } from './abandonedUploads';
import { dropBody, paceBody } from './paceBody';
import { hasBody, unsupportedMediaType } from './readBody';
import { type Part, readMultipart } from './readMultipart';
import { bodyTooLarge, declaredLength, inviteBody } from './receiveBody';
import type { UploadRule } from './Route';

/** Bytes for everything around the file: boundaries, part headers, and small fields, which are ignored. */
const FRAMING_BYTES = 64 * 1024;
/** Bytes of headers: those of one part, and everything around the file. */
const BOUNDS = { headerBytes: 4 * 1024, otherBytes: FRAMING_BYTES };
/** Counted for each upload: thousands of small ones that arrive slowly take memory, and write in one iteration of the event loop. */
const LEAST_HELD_BYTES = 1024 * 1024;
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 1024;
/** The rest of a refused body is read for this long, so that a client that reads only after sending gets its response. */
const LINGER_MS = 1_000;
const MAX_LINGER_MS = 10_000;

/**
 * Runs `use` with the one file of a multipart body, and removes the file afterwards. The file is written to disk as it arrives; its
 * disk space is reserved before the first byte. `pay` resolves when the body may be received.
 * @throws {AppError} 415 for another type, 413 when the file is too large; {@link ValidationFailed} when there is not exactly
 * one file, it is empty, or the body is cut off; {@link ServiceUnavailable} when the file cannot be written to the local disk;
 * {@link Overloaded}, {@link RequestTimeout}, {@link RequestAborted} as {@link receiveBody} throws them.
 */
export async function withUpload<T>(
  ctx: Context,
  rule: UploadRule,
  { limits, companyId, pay }: { limits: Limits; companyId: number; pay: () => Promise<void> },
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  if (hasBody(ctx) && !ctx.is('multipart/form-data')) throw unsupportedMediaType('multipart/form-data');
  const interruption = new AbortController();
  const holding = limits.uploads.open(companyId, () => interruption.abort(new Overloaded('uploads')));
  try {
    const most = rule.maxBytes + FRAMING_BYTES;
    const declared = declaredLength(ctx) ?? most;
    if (declared > most) throw bodyTooLarge(rule.maxBytes);
    if (!holding.tryTake(Math.max(declared, LEAST_HELD_BYTES))) throw new Overloaded('uploads');
    await pay();
    return await inFolder(async (makeFolder) => {
      const stopWatching = limits.bodyRate.watch(ctx.req, () => interruption.abort(new RequestTimeout()));
      const stopPacing = paceBody(ctx.req, limits.bodyPace, companyId);
      const upload = await receive(ctx, rule, makeFolder, interruption).finally(() => {
        stopWatching();
        stopPacing();
      });
      holding.finish();
      return use(upload);
    });
  } catch (error) {
    await linger(ctx.req, limits.bodyPace, companyId);
    throw error;
  } finally {
    holding.release();
  }
}

/** Runs `use` with a function that makes a new folder, and removes the folder afterwards. */
async function inFolder<T>(use: (makeFolder: () => Promise<string>) => Promise<T>): Promise<T> {
  const folders: string[] = [];
  const makeFolder = async (): Promise<string> => {
    const folder = await mkdtemp(uploadFolders());
    folders.push(folder);
    return folder;
  };
  try {
    return await use(makeFolder);
  } finally {
    // A file that is just being opened may appear meanwhile.
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function receive(
  ctx: Context,
  rule: UploadRule,
  makeFolder: () => Promise<string>,
  interruption: AbortController,
): Promise<Upload> {
  const { req } = ctx;
  const { signal } = interruption;
  signal.throwIfAborted();
  if (req.destroyed) throw new RequestAborted();
  inviteBody(ctx);
  const body = new PassThrough();
  // The reader of the body gets the error.
  body.on('error', () => undefined);
  signal.addEventListener('abort', () => body.destroy(signal.reason as AppError));
  const abort = (): void => {
    if (!req.complete) interruption.abort(new RequestAborted());
  };
  req.once('close', abort).pipe(body);
  try {
    return await readFile(body, ctx.get('Content-Type'), rule, makeFolder);
  } catch (error) {
    throw isSystemError(error) ? noRoom(error) : error;
  } finally {
    req.off('close', abort).unpipe(body);
    body.destroy();
  }
}

/** Writes the one file of a body to a new folder, which a body without a file does not need. */
async function readFile(
  body: PassThrough,
  contentType: string,
  rule: UploadRule,
  makeFolder: () => Promise<string>,
): Promise<Upload> {
  const tooLarge = (): AppError => bodyTooLarge(rule.maxBytes);
  let upload: Omit<Upload, 'fields'> | null = null;
  const fields = new Map<string, string>();
  let count = 0;
  for await (const part of readMultipart(body, contentType, { ...BOUNDS, tooLarge })) {
    if (!isFile(part)) {
      if (++count > MAX_FIELDS) throw ValidationFailed.at('body', 'has too many fields beside the file');
      if (rule.fields !== undefined) await readField(part, fields);
      continue;
    }
    if (upload !== null) throw ValidationFailed.at(rule.field, 'must be exactly one file');
    const path = join(await makeFolder(), 'file');
    const { size, sha256 } = await writeFile(part.content, path, rule.maxBytes);
    const declaredType = part.contentType?.split(';')[0]?.trim().toLowerCase() || null;
    upload = { path, size, sha256, declaredType, field: part.name ?? rule.field };
  }
  const isExpected = rule.anyField === true || upload?.field === rule.field;
  if (upload === null || !isExpected || upload.size === 0) {
    throw ValidationFailed.at(
      isExpected ? (upload?.field ?? rule.field) : rule.field,
      'must be a file that is not empty',
    );
  }
  return { ...upload, fields: Object.fromEntries(fields) };
}

async function readField({ name, content }: Part, fields: Map<string, string>): Promise<void> {
  if (name === null || fields.has(name)) throw ValidationFailed.at(name ?? 'body', 'must be given once');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > MAX_FIELD_BYTES) throw ValidationFailed.at(name, `must have at most ${MAX_FIELD_BYTES} bytes`);
    pieces.push(piece);
  }
  fields.set(name, Buffer.concat(pieces).toString());
}

async function writeFile(
  content: AsyncIterable<Buffer>,
  path: string,
  maxBytes: number,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      size += piece.length;
      if (size > maxBytes) throw bodyTooLarge(maxBytes);
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(counted, createWriteStream(path));
  return { size, sha256: hash.digest('hex') };
}

/** Tests whether a part is a file: it has a file name or the media type of one. Other parts are fields. */
function isFile({ hasFileName, contentType }: Part): boolean {
  return hasFileName || /^(image\/|application\/(pdf|octet-stream))/i.test(contentType ?? '');
}

/** The folder of uploads is full, read-only or missing, or the process has no file handle left. */
const noRoom = (error: unknown): ServiceUnavailable => new ServiceUnavailable('the folder of uploads', error);

/** The company pays for what is dropped as for what is received: it chooses how much that is. */
async function linger(request: IncomingMessage, pace: BodyPace, flow: FlowKey): Promise<void> {
  const stop = dropBody(request, pace, flow);
  try {
    for (const deadline = Date.now() + MAX_LINGER_MS; Date.now() < deadline;) {
      if (request.complete || request.destroyed) return;
      const { bytesRead } = request.socket;
      await endOrTimeout(request, LINGER_MS);
      if (request.socket.bytesRead === bytesRead) return;
    }
  } finally {
    stop();
    // What is left of a complete one is in memory, and the connection serves further requests once it is read. The response to another
    // may have to wait for its turn, and closes the connection.
    if (request.complete) request.resume();
    else request.pause();
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
