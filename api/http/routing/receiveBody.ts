import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { AppError, Overloaded, RequestAborted, RequestTimeout } from '../../../shared/engine/errors';
import type { FlowKey } from '../../../shared/engine/fair';
import type { Holding } from '../limits/FairBudget';
import type { Limits } from '../limits/Limits';
import { paceBody } from './paceBody';

/** A body in memory. Its bytes count against the budget until `release`. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  release(): void;
}

type BodyLimits = Pick<Limits, 'bodies' | 'bodyRate' | 'bodyPace'>;

/**
 * Receives the body of a request, without decoding it. Reserves memory as bytes arrive, not as declared.
 * @throws {AppError} 413 above `maxBytes`; {@link Overloaded} when there is no memory for it, or another body needed its memory
 * while it stalled; {@link RequestTimeout} when it is too slow; {@link RequestAborted}.
 */
export async function receiveBody(
  ctx: Context,
  { bodies, bodyPace, bodyRate }: BodyLimits,
  flow: FlowKey,
  maxBytes: number,
): Promise<ReceivedBody> {
  const declared = declaredLength(ctx);
  if (declared !== null && declared > maxBytes) throw bodyTooLarge(maxBytes);
  inviteBody(ctx);
  const interruption = new AbortController();
  const holding = bodies.open(flow, () => interruption.abort(new Overloaded('request bodies')));
  const stopWatching = bodyRate.watch(ctx.req, () => interruption.abort(new RequestTimeout()));
  const stopPacing = paceBody(ctx.req, bodyPace, flow);
  try {
    const buffer = new GrowingBuffer(holding, declared ?? maxBytes, maxBytes);
    const bytes = await collect(ctx.req, buffer, interruption.signal);
    holding.finish();
    return { bytes, release: () => holding.release() };
  } catch (error) {
    holding.release();
    throw error;
  } finally {
    stopWatching();
    stopPacing();
  }
}

export function bodyTooLarge(maxBytes: number): AppError {
  return new AppError('body_too_large', `the body must not be larger than ${maxBytes} bytes`, { status: 413 });
}

/** Returns the Content-Length in bytes, or null. */
export function declaredLength({ headers }: Context): number | null {
  return headers['content-length'] === undefined ? null : Number(headers['content-length']);
}

/** Sends `100 Continue` to a client that waits for it. Call it just before reading the body. */
export function inviteBody({ req, res }: Context): void {
  if (req.headers.expect !== undefined && req.httpVersion !== '1.0' && !req.complete) res.writeContinue();
}

/** @param interruption its reason is the error with which the body is no longer received */
function collect(request: IncomingMessage, buffer: GrowingBuffer, interruption: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      request.off('data', add).off('end', end).off('close', abort).off('error', abort);
      settle();
    };
    const fail = (error: AppError): void => {
      request.pause();
      finish(() => reject(error));
    };
    const add = (chunk: Buffer): void => {
      const problem = buffer.add(chunk);
      if (problem !== null) fail(problem);
    };
    const end = (): void => finish(() => resolve(buffer.bytes));
    const abort = (): void => fail(new RequestAborted());
    const interrupt = (): void => fail(interruption.reason as AppError);
    interruption.addEventListener('abort', interrupt);
    // The first bytes of the buffer may already have been too many.
    if (interruption.aborted) interrupt();
    else if (request.destroyed) abort();
    else request.on('data', add).on('end', end).on('close', abort).on('error', abort);
  });
}

const FIRST_BYTES = 4 * 1024;

/** A buffer that doubles as it grows, because many tiny chunks would take far more memory than their bytes. */
class GrowingBuffer {
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(
    private readonly holding: Holding,
    /** The largest size. */
    private readonly expected: number,
    private readonly maxBytes: number,
  ) {}

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** Returns why the chunk cannot be added, or null. */
  add(chunk: Buffer): AppError | null {
    const needed = this.length + chunk.length;
    if (needed > this.maxBytes) return bodyTooLarge(this.maxBytes);
    if (needed > this.buffer.length && !this.grow(needed)) return new Overloaded('request bodies');
    chunk.copy(this.buffer, this.length);
    this.length = needed;
    return null;
  }

  private grow(needed: number): boolean {
    const size = Math.max(needed, Math.min(this.expected, Math.max(FIRST_BYTES, this.buffer.length * 2)));
    if (!this.holding.tryTake(size - this.buffer.length)) return false;
    // Not from Node.js's shared pool, where a few bytes would keep a whole slab in memory.
    const larger = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(larger);
    this.buffer = larger;
    return true;
  }
}
