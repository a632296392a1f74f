import type { Middleware } from 'koa';
import { NotFound } from '../../shared/engine/errors';
import { OccasionalWarning } from '../../shared/engine/log';
import type { Services } from '../../shared/services';
import { findGatewayRules } from '../../shared/paymentLinks';
import { GatewayCallbacks } from '../../shared/payments';
import { SHARED_FLOWS } from '../http/routing/inTurn';
import type { ReceiveCallback } from '../http/routing/receiveCallback';

/** Receives authentic callbacks of the payment gateway that the path names. */
export function receiveGatewayCallbacks(services: Services, receive: ReceiveCallback): Middleware {
  const callbacks = new GatewayCallbacks(services);
  const refused = new OccasionalWarning(services.log, 'a callback is refused: it is not authentic');
  return async (ctx) => {
    const provider = String((ctx.params as Record<string, unknown>).provider);
    const rules = findGatewayRules(provider);
    if (rules === null) throw new NotFound('payment provider', 'route_not_found');
    const { gateway } = services.config;
    await receive(ctx, {
      flow: SHARED_FLOWS.gatewayCallbacks,
      headerProof: () => {
        const proof = rules.headerProof(ctx.headers, gateway);
        if (proof === 'refused') refused.note({ provider, ip: ctx.ip });
        return proof;
      },
      isAuthentic: (bytes) => {
        const isAuthentic = rules.isAuthentic(bytes, ctx.headers, gateway, services.clock.now());
        if (!isAuthentic) refused.note({ provider, ip: ctx.ip });
        return isAuthentic;
      },
      take: async (body) => {
        const callback = rules.parseCallback(body);
        if (callback !== null) await callbacks.receive(provider, callback, String(ctx.state.requestId));
      },
    });
  };
}
