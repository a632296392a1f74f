import type { Middleware } from 'koa';
import { type Limits, REFUSED_MS } from '../limits/Limits';
import type { Identity } from '../routing/Exchange';

/**
 * Charges an authenticated request that fails before its turn to its company: its error is sent in a turn of its own, so that a
 * company that sends only such requests waits for itself. A request whose client has left, or whose turn did not come, is charged
 * without waiting.
 */
export function chargeRefusals({ requests }: Limits): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { companyId, turn } = ctx.state as Identity;
      if (turn === undefined && !ctx.req.socket.destroyed) {
        await requests.run(companyId, ctx.res, ({ meter }) => Promise.resolve(meter.add(REFUSED_MS)));
      } else if (turn !== 'begun') {
        requests.chargeFor(companyId, REFUSED_MS);
      }
      throw error;
    }
  };
}
