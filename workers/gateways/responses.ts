import { type TSchema, Type } from '@sinclair/typebox';
import { GatewayUnavailable } from '../../shared/engine/errors';

/** The schema of a field that may be null, or left out. */
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/** @param outcomeUnknown whether the request may have changed something */
export const unreadable = (outcomeUnknown = true): GatewayUnavailable =>
  new GatewayUnavailable('the payment gateway gave a response that is not understood', { outcomeUnknown });
