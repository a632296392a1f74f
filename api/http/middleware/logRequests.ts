import type { Middleware } from 'koa';
import type { Config } from '../../../config/env';
import type { ErrorCode } from '../../../shared/engine/errors';
import type { Logger } from '../../../shared/engine/log';
import { traceFields } from '../../../shared/engine/trace';
import { endOf } from './endOf';

/** A request that takes longer is slow. */
const SLOW_MS = 1_000;

/**
 * Logs one line for each request, when its response has ended: with `errors` for a 5xx status, with `slow` also for what took
 * more than a second, with `all` always. Only `all` includes what is refused as `overloaded`, of which a flood may come. The bytes are those of
 * the whole response that the operating system has taken.
 */
export function logRequests(log: Logger, which: Config['logRequests']): Middleware {
  const slowMs = which === 'slow' ? SLOW_MS : Infinity;
  return (ctx, next) => {
    const begun = performance.now();
    const { req, res } = ctx;
    const { socket } = req;
    const before = socket.bytesWritten;
    // `close` is emitted outside of the request's span.
    const trace = traceFields();
    res.once('close', () => {
      const ms = performance.now() - begun;
      const { route, status, isCutOff, companyId, keyId } = endOf(ctx);
      const { requestId, code } = ctx.state as { requestId: string; code?: ErrorCode };
      if (which !== 'all' && (code === 'overloaded' || (ms <= slowMs && (status ?? 0) < 500))) return;
      const bytes = socket.bytesWritten - socket.writableLength - before;
      const line = {
        requestId,
        method: req.method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        companyId,
        keyId,
        bytes,
      };
      log.info({ ...line, ...(isCutOff && { isCutOff }), ...trace }, 'request');
    });
    return next();
  };
}
