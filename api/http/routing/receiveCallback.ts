import type { Context } from 'koa';
import { AppError } from '../../../shared/kernel/errors';
import type { Limits } from '../limits/Limits';
import { jsonParser, MAX_JSON_BYTES } from './readBody';
import { receiveBody } from './receiveBody';

/** All callbacks together count against the limits like one company. */
const NO_COMPANY = 0;

/** How the callbacks of one provider are taken. */
export interface CallbackRules {
  /** Returns whether the provider has sent the bytes, as they were received. */
  readonly isAuthentic: (bytes: Buffer) => boolean;
  /** Takes the parsed body; `undefined` for an empty one. */
  readonly take: (body: unknown) => Promise<void>;
}

/**
 * Receives a callback, checks that it is authentic, and responds once it was taken.
 * @throws {AppError} `callback_not_authentic` before the body is decoded; what {@link receiveBody} and the parser throw.
 */
export async function receiveCallback(
  ctx: Context,
  limits: Limits,
  { isAuthentic, take }: CallbackRules,
): Promise<void> {
  const body = await receiveBody(ctx, limits, NO_COMPANY, MAX_JSON_BYTES);
  try {
    if (!isAuthentic(body.bytes)) {
      throw new AppError('callback_not_authentic', 'the callback is not authentic', { status: 401 });
    }
    const parse = body.bytes.length > 0 ? jsonParser(ctx) : () => Promise.resolve(undefined);
    await limits.places.within(NO_COMPANY, ctx.res, async () => take(await parse(body.bytes)));
  } finally {
    body.release();
  }
  ctx.body = { message: 'Received' };
}
