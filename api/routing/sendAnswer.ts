import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from '../../shared/log';
import { LargePage, WHOLE_PAGE_BYTES } from '../../shared/usecases/page';
import { PIECE_BYTES, type OpenResponses } from '../limits/OpenResponses';
import type { Pace } from '../limits/Pace';
import { listContent, pieceByPiece } from './jsonContent';
import type { Answer, AnswerFile } from './Route';

/** What a stream holds while it is sent: the pieces that were read ahead. */
const STREAM_BYTES = 4 * PIECE_BYTES;

/** What bounds and reports the sending of responses. */
export interface Sending {
  readonly open: OpenResponses;
  readonly listPace: Pace;
  readonly log: Logger;
}

interface Content {
  type: string;
  /** Bytes; null where they are not known before the end, and where Koa sets the header by itself: for a text or a buffer. */
  length: number | null;
  /** Null where the headers are all that is sent. */
  body: string | Buffer | Readable | null;
  heldBytes: number;
}

/**
 * Writes an answer; 304 in place of a GET's 200 when the client has this version already.
 * @throws {Overloaded} when this process holds as many responses as it can.
 */
export async function sendAnswer(ctx: Context, answer: Answer, sending: Sending): Promise<void> {
  ctx.status = answer.status;
  const { type, length, body, heldBytes } = answer.stream
    ? await fileContent(ctx, answer.headers, answer.stream)
    : await contentOf(ctx, answer, sending);
  const readsOnly = ctx.method === 'GET' || ctx.method === 'HEAD';
  try {
    if (ctx.method !== 'HEAD') sending.open.hold(ctx.res, companyOf(ctx), heldBytes, !readsOnly);
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
  ctx.set('Content-Type', type);
  ctx.set(answer.headers ?? {});
  // Koa closes a stream when the response has ended, however it ends, and cuts the connection when the stream fails.
  if (body !== null) ctx.body = body;
  if (length !== null) ctx.length = length;
  if (isKnown(ctx)) ctx.status = 304;
}

async function contentOf(ctx: Context, answer: Answer, { open, listPace, log }: Sending): Promise<Content> {
  if (answer.file) return inMemory(answer.file.contentType, answer.file.bytes);
  const type = 'application/json; charset=utf-8';
  if (!(answer.body instanceof LargePage)) return inMemory(type, answer.json ?? JSON.stringify(answer.body));
  const failed = (error: unknown): void =>
    log.error({ err: error, requestId: ctx.state.requestId, path: ctx.path }, 'a list could not be sent to its end');
  const companyId = companyOf(ctx);
  // What the first statement has read in vain.
  await listPace.wait(companyId, WHOLE_PAGE_BYTES);
  const body = listContent(answer.body, { response: ctx.res, companyId, open, pace: listPace, failed });
  return { type, length: null, body, heldBytes: STREAM_BYTES };
}

function inMemory(type: string, content: string | Buffer): Content {
  const heldBytes = Buffer.byteLength(content);
  if (heldBytes <= PIECE_BYTES) return { type, length: null, body: content, heldBytes };
  return { type, length: heldBytes, body: pieceByPiece(Buffer.from(content)), heldBytes };
}

/** Does not open the file where the client has this version, or asked for the headers alone and the size is known. */
async function fileContent(ctx: Context, headers: Answer['headers'] = {}, file: AnswerFile): Promise<Content> {
  const type = file.contentType;
  if (headers['ETag'] !== undefined) ctx.set('ETag', headers['ETag']);
  const known = isKnown(ctx);
  // An error in place of the file has no tag, and none of the file's other headers.
  ctx.remove('ETag');
  if (known || (ctx.method === 'HEAD' && file.size !== undefined)) {
    return { type, length: file.size ?? null, body: null, heldBytes: 0 };
  }
  const { content, size } = await file.open();
  if (Buffer.isBuffer(content)) return inMemory(type, content);
  if (ctx.method !== 'HEAD' && ctx.writable && !ctx.res.destroyed) {
    return { type, length: size, body: content, heldBytes: STREAM_BYTES };
  }
  content.destroy();
  return { type, length: size, body: null, heldBytes: 0 };
}

function isKnown(ctx: Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.response.get('ETag') !== '' && ctx.fresh;
}

function companyOf(ctx: Context): number {
  return (ctx.state as { companyId: number }).companyId;
}
