import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';

/** What happens to the payment links of an invoice, which is the subject. */
export const paymentLinkEvents = {
  requested: eventType('invoice.payment_link.requested', Type.Object({ regenerate: Type.Boolean() })),
  created: eventType(
    'invoice.payment_link.created',
    Type.Object({ paymentLinkId: Type.Integer(), url: Type.Union([Type.String(), Type.Null()]) }),
  ),
  expired: eventType('invoice.payment_link.expired', Type.Object({ paymentLinkId: Type.Integer() })),
};
