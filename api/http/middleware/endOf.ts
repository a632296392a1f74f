import type { Context } from 'koa';
import { routeOf } from '../routing/routeOf';

/** How a request ended. */
export interface RequestEnd {
  /** The template of the route, such as `/api/invoices/{id}`; null for an unknown one, and for what is refused before routing. */
  route: string | null;
  /** Null when the connection ended before the response began. */
  status: number | null;
  /** The connection ended before the response was complete. */
  isCutOff: boolean;
  /** Undefined for a request without a valid API key. */
  companyId: number | undefined;
  keyId: number | undefined;
}

/** Returns how a request ended, once its response has emitted `close`. */
export function endOf(ctx: Context): RequestEnd {
  const { res, state } = ctx;
  const { companyId, keyId } = state as { companyId?: number; keyId?: number };
  return {
    route: routeOf(ctx),
    status: res.headersSent ? res.statusCode : null,
    isCutOff: !res.writableFinished,
    companyId,
    keyId,
  };
}
