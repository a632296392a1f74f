import type { Context } from 'koa';
import type { StoredAnswer } from '../../shared/usecases/idempotency/IdempotentRequest';
import type { Answer } from './Route';

/** Writes an answer; 304 in place of a GET's 200 when the client has this version already. */
export function sendAnswer(ctx: Context, answer: Answer): void {
  ctx.status = answer.status;
  ctx.set(answer.headers ?? {});
  if (answer.file) {
    ctx.type = answer.file.contentType;
    ctx.body = answer.file.bytes;
  } else {
    sendJson(ctx, JSON.stringify(answer.body));
  }
  if ((ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.response.get('ETag') !== '' && ctx.fresh) ctx.status = 304;
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
