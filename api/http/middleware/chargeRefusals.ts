import type { Middleware } from 'koa';
import { type Limits, REFUSED_MS } from '../limits/Limits';
import type { Identity } from '../routing/Exchange';

/**
 * Charges an authenticated request that fails to its company, for what no meter sees of it. Before its turn, its error is sent in a turn
 * of its own, so that a company that sends only such requests waits for itself. A request that had its turn, whose client has left, or
 * whose turn did not come, is charged without waiting.
 */
export function chargeRefusals({ requests }: Limits): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { companyId, askedForTurn } = ctx.state as Identity;
      if (askedForTurn === undefined && !ctx.req.socket.destroyed) {
        await requests.run(companyId, ctx.res, ({ meter }) => Promise.resolve(meter.add(REFUSED_MS)));
      } else {
        requests.chargeFor(companyId, REFUSED_MS);
      }
      throw error;
    }
  };
}
