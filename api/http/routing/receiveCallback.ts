import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../shared/engine/errors';
import type { FlowKey } from '../../../shared/engine/fair';
import type { HeaderProof } from '../../../shared/paymentLinks';
import { clientNetwork } from '../limits/clientNetwork';
import { FairBudget } from '../limits/FairBudget';
import type { Limits } from '../limits/Limits';
import { Pace } from '../limits/Pace';
import { tooManyRequests } from '../middleware/rateLimit';
import { inTurn } from './inTurn';
import { jsonParser, MAX_JSON_BYTES } from './readBody';
import { declaredLength, receiveBody } from './receiveBody';

const MIB = 1024 * 1024;
/** Memory for bodies of networks that have not proven themselves, over all of them. One network gets half. */
const UNPROVEN_BYTES = 8 * MIB;
/** Bytes a second that one network may send before its signatures are checked; the first `burst` at full speed. */
const RATES = {
  proven: { perSecond: 8 * MIB, burst: 16 * MIB },
  unproven: { perSecond: MIB / 4, burst: 2 * MIB },
};
/**
 * Chunks a second of the bodies of all unproven networks together: one client may have any number of those. A process accepts fewer requests
 * in a second, so that the first authentic callback of a network, which is a few chunks, waits for a moment at most. Bytes would not do: 64
 * KiB arrive with each new request.
 */
const UNPROVEN_CHUNKS = { perSecond: 8_192, burst: 16_384 };
/** A network counts as proven for this long after an authentic callback. */
const PROVEN_MS = 7 * 86_400_000;
const MAX_PROVEN = 1_000;

/** How the callbacks of one provider are taken. */
export interface CallbackRules {
  /** Of `SHARED_FLOWS`: all authentic callbacks of a kind together count against the limits like one company. */
  readonly flow: FlowKey;
  /** Says what the headers prove, before the body is received. */
  readonly headerProof: () => HeaderProof;
  /** Returns whether the provider has sent the bytes, as they were received. Asked where the headers prove nothing. */
  readonly isAuthentic: (bytes: Buffer) => boolean;
  /** Takes the parsed body; `undefined` for an empty one. */
  readonly take: (body: unknown) => Promise<void>;
}

export type ReceiveCallback = (ctx: Context, rules: CallbackRules) => Promise<void>;

/**
 * Returns a function that receives a callback, checks that it is authentic, and responds once it was taken. It throws
 * `callback_not_authentic` before the body is received, if its headers show it, or else before the body is decoded; 429 when a
 * network sends more than is checked; and what {@link receiveBody} and the parser throw.
 *
 * Bodies that must be received before they can be checked share no budget with authentic ones: each network has its own, and one
 * that has sent an authentic callback a larger one, so that no number of others can hold it up. The others share a pace of chunks.
 */
export function callbackReceiver(limits: Limits): ReceiveCallback {
  const proven = new LRUCache<string, true>({ max: MAX_PROVEN, ttl: PROVEN_MS });
  const paceAt = ({ perSecond, burst }: (typeof RATES)['proven']): Pace => new Pace(perSecond, burst);
  const paces = { proven: paceAt(RATES.proven), unproven: paceAt(RATES.unproven) };
  const chunks = paceAt(UNPROVEN_CHUNKS);
  const bodyPace = { count: (_network: FlowKey, _bytes: number, now: number) => chunks.count('', 1, now) };
  const unproven = { ...limits, bodies: new FairBudget(UNPROVEN_BYTES), bodyPace };

  const receiveUnproven = async (ctx: Context, isAuthentic: (bytes: Buffer) => boolean) => {
    const network = clientNetwork(ctx.ip);
    const isProven = proven.has(network);
    // The bytes are paid for before they are received, so that a network owes one body at most.
    admit(paces[isProven ? 'proven' : 'unproven'], network, declaredLength(ctx) ?? MAX_JSON_BYTES);
    const body = await receiveBody(ctx, isProven ? limits : unproven, network, MAX_JSON_BYTES);
    if (isAuthentic(body.bytes)) {
      proven.set(network, true);
      return body;
    }
    body.release();
    throw notAuthentic();
  };

  return async (ctx, { flow, headerProof, isAuthentic, take }) => {
    const proof = headerProof();
    if (proof === 'refused') throw notAuthentic();
    const body =
      proof === 'proven'
        ? await receiveBody(ctx, limits, flow, MAX_JSON_BYTES)
        : await receiveUnproven(ctx, isAuthentic);
    try {
      // Thousands of events in one body have the same few names.
      const parse = body.bytes.length > 0 ? jsonParser(ctx, Infinity) : () => Promise.resolve(undefined);
      await inTurn(ctx, limits, async () => take(await parse(body.bytes)), flow);
    } finally {
      body.release();
    }
    ctx.body = { message: 'Received' };
  };
}

/** @throws {AppError} 429 while earlier bytes of the network are not within its pace. */
function admit(pace: Pace, network: string, bytes: number): void {
  const waitMs = pace.admit(network, Math.min(bytes, MAX_JSON_BYTES), performance.now());
  if (waitMs > 0) throw tooManyRequests(waitMs);
}

function notAuthentic(): AppError {
  return new AppError('callback_not_authentic', 'the callback is not authentic', { status: 401 });
}
