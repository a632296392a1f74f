import type { Context } from 'koa';
import type { OpenFile } from '../../shared/files/FileStore';
import type { StoredAnswer } from '../../shared/usecases/idempotency/IdempotentRequest';
import type { Answer } from './Route';

/** Writes an answer; 304 in place of a GET's 200 when the client has this version already. */
export async function sendAnswer(ctx: Context, answer: Answer): Promise<void> {
  ctx.status = answer.status;
  const opened = answer.stream ? await openUnlessKnown(ctx, answer, answer.stream) : null;
  ctx.set(answer.headers ?? {});
  if (answer.stream) {
    ctx.type = answer.stream.contentType;
    ctx.length = opened?.size ?? answer.stream.size;
    // Koa closes it when the response has ended, however it ends, and cuts the connection when it fails.
    if (opened) ctx.body = opened.stream;
  } else if (answer.file) {
    ctx.type = answer.file.contentType;
    ctx.body = answer.file.bytes;
  } else {
    sendJson(ctx, JSON.stringify(answer.body));
  }
  if (isKnown(ctx)) ctx.status = 304;
}

/** Null where the client has this version, asked for the headers alone, or is gone. */
async function openUnlessKnown(
  ctx: Context,
  { headers = {} }: Answer,
  stream: NonNullable<Answer['stream']>,
): Promise<OpenFile | null> {
  if (headers['ETag'] !== undefined) ctx.set('ETag', headers['ETag']);
  if (ctx.method === 'HEAD' || isKnown(ctx)) return null;
  // An error in place of the file has no tag, and none of the file's other headers.
  const opened = await stream.open().finally(() => ctx.remove('ETag'));
  if (ctx.writable && !ctx.res.destroyed) return opened;
  opened.stream.destroy();
  return null;
}

function isKnown(ctx: Context): boolean {
  return (ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.response.get('ETag') !== '' && ctx.fresh;
}

/** The same bytes again. */
export function sendStored(ctx: Context, { status, headers, body }: StoredAnswer): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.set('Idempotent-Replayed', 'true');
  sendJson(ctx, body);
  if (status >= 400) ctx.set('Content-Type', 'application/problem+json; charset=utf-8');
}

function sendJson(ctx: Context, text: string): void {
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = text;
}
