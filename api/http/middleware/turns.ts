import type { Middleware } from 'koa';
import { type Limits, UNMETERED_MS } from '../limits/Limits';
import { requesterOf, hasTurn, inTurn } from '../routing/inTurn';

/**
 * Lets no response be sent without a turn of the request's company, or without a key of its network: an error before the turn, and what is
 * the same for everybody, take one of their own. So whoever floods the process with such requests waits for itself. A request that failed
 * in its turn, whose client has left, or whose turn did not come, is charged without waiting.
 */
export function turns(limits: Limits): Middleware {
  return async (ctx, next) => {
    const send = (): Promise<void> => inTurn(ctx, limits, ({ meter }) => Promise.resolve(meter.add(UNMETERED_MS)));
    try {
      await next();
    } catch (error) {
      if (hasTurn(ctx) || ctx.req.socket.destroyed) limits.requests.chargeFor(requesterOf(ctx), UNMETERED_MS);
      else await send();
      throw error;
    }
    if (!hasTurn(ctx)) await send();
  };
}
