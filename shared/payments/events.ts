import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';

/** What happens to the payments of an invoice, which is the subject. */
export const paymentEvents = {
  received: eventType(
    'payment.received',
    Type.Object({
      amount: Type.String(),
      currency: Type.String(),
      /** The currency is not the invoice's: the payment covers nothing. */
      otherCurrency: Type.Optional(Type.Literal(true)),
      /** The amount by which the payments exceed the total. */
      excess: Type.Optional(Type.String()),
    }),
    'invoice',
  ),
};
