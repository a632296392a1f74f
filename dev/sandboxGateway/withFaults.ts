import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import type { Fault, Faults, Operation } from './Faults';

/** Runs an operation's handler, or its next fault. */
export function withFaults(faults: Faults, operation: Operation, handler: (ctx: Context) => void): Middleware {
  return async (ctx) => {
    const fault = faults.next(operation);
    if (!fault) return handler(ctx);
    if (fault.work) handler(ctx);
    switch (fault.mode) {
      case 'fail':
        return fail(ctx, fault);
      case 'late':
        // Unreferenced: the delay does not keep an ending process alive.
        await sleep(fault.delayMs, undefined, { ref: false });
        return fault.work ? undefined : handler(ctx);
      case 'hang':
        ctx.respond = false;
        return undefined;
      case 'break':
        ctx.respond = false;
        ctx.req.socket.destroy();
    }
  };
}

function fail(ctx: Context, { status, retryAfterSeconds }: Fault): void {
  ctx.status = status;
  if (status !== 429) {
    ctx.body = { error_code: 'SERVER_ERROR', message: 'The sandbox was asked to fail' };
    return;
  }
  ctx.set('Retry-After', String(retryAfterSeconds));
  ctx.set('Rate-Limit-Limit', '60');
  ctx.set('Rate-Limit-Remaining', '0');
  ctx.set('Rate-Limit-Reset', String(retryAfterSeconds));
  ctx.body = { error_code: 'RATE_LIMIT_EXCEEDED', message: 'You have exceeded your rate limit' };
}
