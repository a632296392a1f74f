import type { Context } from 'koa';
import type { FlowKey, Turn } from '../../../shared/engine/fair';
import { clientNetwork } from '../limits/clientNetwork';
import { REQUEST_MS, type Limits } from '../limits/Limits';
import type { Identity } from './Exchange';

/** What is no company's has the share of one, by its kind. No company has these numbers. */
export const SHARED_FLOWS = { gatewayCallbacks: 0, mailCallbacks: -1, probes: -2, pageFiles: -3 };

/** Returns whose use of the process a request is: its company's, or without a key that of its network. */
export function requesterOf({ state, ip }: Context): FlowKey {
  return (state as Partial<Identity>).companyId ?? clientNetwork(ip);
}

/** Runs a part of a request in a turn of its company or network. Its response then needs no turn of its own. */
export function inTurn<T>(
  ctx: Context,
  { requests }: Limits,
  work: (turn: Turn) => Promise<T>,
  flow = requesterOf(ctx),
): Promise<T> {
  sendWithoutTurn(ctx);
  return requests.run(flow, ctx.res, (turn) => {
    turn.meter.add(REQUEST_MS);
    return work(turn);
  });
}

/** Lets a response be sent without a turn. */
export function sendWithoutTurn({ state }: Context): void {
  (state as Identity).hasTurn = true;
}

export const hasTurn = ({ state }: Context): boolean => (state as Partial<Identity>).hasTurn === true;
