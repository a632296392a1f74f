import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from '../../../shared/engine/log';
import { LargePage, matchesETag, WHOLE_PAGE_BYTES } from '../../../shared/engine/records';
import type { FlowKey, Turn } from '../../../shared/engine/fair';
import { PIECE_BYTES, type OpenResponses } from '../limits/OpenResponses';
import { OPEN_FILE_MS, piecesMs } from '../limits/Limits';
import { partOf, rangeWithin, requestedRange, startOf } from './byteRange';
import { GZIP_STREAM_BYTES, negotiateGzip, zip, zipStream } from './gzip';
import { pageText, pieceByPiece, textContent } from './textContent';
import { routeOf } from './routeOf';
import type { RouteResponse, ResponseFile } from './RouteResponse';

/** The bytes that a stream holds while it is sent, in pieces that were read ahead. */
const STREAM_BYTES = 4 * PIECE_BYTES;

/** The limits and the log for sending the responses of a route. */
export interface Sending {
  readonly open: OpenResponses;
  /** The company that the bytes count for, or the network of a reader without a key. */
  readonly flow: FlowKey;
  readonly turn: Turn;
  readonly log: Logger;
  /** True for responses that show a secret: they are never compressed, because their length could reveal it (BREACH). */
  readonly isSecret: boolean;
}

interface Content {
  /** Replaces the status of the response where it is set. */
  status?: 206;
  headers: Readonly<Record<string, string>>;
  /** Null when only headers are sent. */
  body: string | Buffer | Readable | null;
  /** Null when the size is not known before the end. */
  bytes: number | null;
  heldBytes: number;
  isText?: true;
}

/**
 * Sends a response: 304 in place of a GET's 200 when the client has this version already, 206 for a part of a file. Compresses JSON
 * and CSV if the client accepts it.
 * @throws {Overloaded} when the unread responses use up the memory for them; {@link AppError} 416.
 */
export async function sendResponse(ctx: Context, response: RouteResponse, sending: Sending): Promise<void> {
  ctx.status = response.status;
  const content = response.stream
    ? await fileContent(ctx, response.stream, sending.turn)
    : contentOf(ctx, response, sending);
  const { status, headers, body, bytes, heldBytes, isText } = content;
  const readsOnly = ctx.method === 'GET' || ctx.method === 'HEAD';
  closedOnThrow(body, () => {
    if (ctx.method !== 'HEAD') sending.open.hold(ctx.res, sending.flow, heldBytes, !readsOnly);
  });
  ctx.set(headers);
  ctx.set(response.headers ?? {});
  const isZipped = isText === true && !sending.isSecret && negotiateGzip(ctx, bytes);
  if (ctx.res.hasHeader('ETag') && isKnown(ctx, ctx.response.get('ETag'))) {
    close(body);
    ctx.status = 304;
    return;
  }
  if (status !== undefined) ctx.status = status;
  if (isZipped) await sendZipped(ctx, content, sending);
  else send(ctx, body, bytes, sending.turn);
}

/** Sends a body. Koa closes a stream when the response has ended for any reason, and cuts the connection when the stream fails. */
function send(ctx: Context, body: Content['body'], bytes: number | null, { meter }: Turn): void {
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    const isSmall = bytes !== null && bytes <= PIECE_BYTES;
    ctx.body = isSmall ? body : pieceByPiece(typeof body === 'string' ? Buffer.from(body) : body);
    // Koa sets the length itself.
    if (isSmall) return;
    // The pieces are sent after the turn.
    meter.add(piecesMs(Buffer.byteLength(body)));
  } else if (body !== null) ctx.body = body;
  if (bytes !== null) ctx.length = bytes;
}

async function sendZipped(ctx: Context, { body, heldBytes }: Content, { open, flow, turn }: Sending): Promise<void> {
  ctx.set('Content-Encoding', 'gzip');
  if (body instanceof Readable) {
    open.change(ctx.res, flow, GZIP_STREAM_BYTES);
    return send(ctx, zipStream(body), null, turn);
  }
  // The compressed length of a HEAD response is unknown, and may be omitted (RFC 9110, 8.6).
  if (ctx.method === 'HEAD' || body === null) return;
  turn.meter.lap();
  const zipped = await zip(body);
  turn.meter.resume();
  open.change(ctx.res, flow, zipped.length - heldBytes);
  send(ctx, zipped, zipped.length, turn);
}

function contentOf(ctx: Context, response: RouteResponse, { open, flow, turn, log }: Sending): Content {
  if (response.file) return inMemory(response.file.contentType, response.file.bytes);
  const type = response.text?.contentType ?? 'application/json; charset=utf-8';
  const chunks = response.text?.chunks ?? (response.body instanceof LargePage ? pageText(response.body) : null);
  if (chunks === null) {
    return { ...inMemory(type, response.json ?? JSON.stringify(response.body)), isText: true };
  }
  const failed = (error: unknown): void =>
    log.error({ err: error, requestId: ctx.state.requestId, route: routeOf(ctx) }, 'a list was sent only in part');
  // Of an export, a batch of rows stays in memory while its chunks are sent. A slot would be held during the statement for the next batch.
  const [slots, batchBytes] = response.text === undefined ? [open.records, 0] : [null, WHOLE_PAGE_BYTES];
  const body = textContent(chunks, { response: ctx.res, flow, open, turn, slots, failed });
  const heldBytes = STREAM_BYTES + batchBytes;
  return { headers: { 'Content-Type': type }, body, bytes: null, heldBytes, isText: true };
}

function inMemory(type: string, body: string | Buffer): Content {
  const bytes = Buffer.byteLength(body);
  return { headers: { 'Content-Type': type }, body, bytes, heldBytes: bytes };
}

/** Opens the file, unless the client has this version, or sent HEAD and the size is known. */
async function fileContent(ctx: Context, response: ResponseFile, turn: Turn): Promise<Content> {
  const { contentType, size, etag } = response;
  const headers = { 'Content-Type': contentType, 'Accept-Ranges': 'bytes', ETag: etag };
  const headersAlone = (bytes: number | null): Content => ({ headers, body: null, bytes, heldBytes: 0 });
  if (isKnown(ctx, etag) || (ctx.method === 'HEAD' && size !== undefined)) return headersAlone(size ?? null);
  turn.meter.add(OPEN_FILE_MS);
  const file = await response.open(startOf(requestedRange(ctx, etag)));
  if (ctx.method === 'HEAD' || !ctx.writable || ctx.res.destroyed) {
    close(file.content);
    return headersAlone(file.size);
  }
  headers.ETag = file.etag ?? etag;
  const range = requestedRange(ctx, headers.ETag);
  if (range === null) {
    if (file.first === 0) return ofFile(headers, partOf(file, { first: 0, last: file.size - 1 }, turn), file.size);
    // Opened for a range of another version than this one.
    close(file.content);
    const whole = await response.open();
    headers.ETag = whole.etag ?? etag;
    return ofFile(headers, partOf(whole, { first: 0, last: whole.size - 1 }, turn), whole.size);
  }
  const { first, last } = closedOnThrow(file.content, () => rangeWithin(range, file.size));
  const partHeaders = { ...headers, 'Content-Range': `bytes ${first}-${last}/${file.size}` };
  return { ...ofFile(partHeaders, partOf(file, { first, last }, turn), last - first + 1), status: 206 };
}

function ofFile(headers: Content['headers'], body: Buffer | Readable, bytes: number): Content {
  return { headers, body, bytes, heldBytes: Buffer.isBuffer(body) ? bytes : STREAM_BYTES };
}

/**
 * Tests for a GET or HEAD whose `If-None-Match` names this entity tag (RFC 9110, 13.1.2). Koa's `fresh` is not used: it never
 * matches with `Cache-Control: no-cache`, which `fetch()` sends with every `If-None-Match`.
 */
export function isKnown({ method, headers }: Context, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  return matchesETag(known.replaceAll('W/"', '"'), etag);
}

function close(body: Content['body']): void {
  if (body instanceof Readable) body.destroy();
}

/** Runs `use`, and closes the body if it throws. */
function closedOnThrow<T>(body: Content['body'], use: () => T): T {
  try {
    return use();
  } catch (error) {
    close(body);
    throw error;
  }
}
