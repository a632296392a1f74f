import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { negotiateGzip } from './gzip';
import { isKnown } from './sendResponse';

/** A response without a key that is the same for everybody. All responses share its bytes. */
export interface FixedResponse {
  type: string;
  bytes: Buffer;
  zipped: Buffer;
  etag: string;
}

export function fixedResponse(type: string, text: string): FixedResponse {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type, bytes, zipped: gzipSync(bytes), etag: `"${hash}"` };
}

/** Sends it, compressed if the client accepts it; 304 if the client has it. Caches ask again each time unless `cache` says more. */
export function sendFixed(ctx: Context, { type, bytes, zipped, etag }: FixedResponse, cache = 'no-cache'): void {
  ctx.set({ ETag: etag, 'Cache-Control': cache });
  const isZipped = negotiateGzip(ctx, bytes.length);
  if (isKnown(ctx, ctx.response.get('ETag'))) {
    ctx.status = 304;
    return;
  }
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.type = type;
  ctx.body = isZipped ? zipped : bytes;
}
