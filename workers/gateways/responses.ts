import { type TSchema, Type } from '@sinclair/typebox';
import { GatewayRefused, GatewayUnavailable } from '../../shared/engine/errors';

/** The schema of a field that may be null, or left out. */
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** @param outcomeUnknown whether the request may have changed something */
export const unreadable = (outcomeUnknown = true): GatewayUnavailable =>
  new GatewayUnavailable('the payment gateway gave a response that is not understood', { outcomeUnknown });

/** The refusal of a gateway, with what it says of the reason. */
export function refused(status: number, code: unknown, message: unknown): GatewayRefused {
  const named = typeof code === 'string' ? `${status} ${code.slice(0, 100)}` : String(status);
  if (status === 401 || status === 403) {
    return new GatewayRefused(`the payment gateway does not accept the configured key for this (${named})`);
  }
  const detail = typeof message === 'string' ? `: ${message.slice(0, 300)}` : '';
  return new GatewayRefused(`the payment gateway refused the request (${named})${detail}`);
}
