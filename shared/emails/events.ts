import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';

const emailId = Type.Integer();

/** What happens to the e-mails of an invoice, which is the subject. */
export const emailEvents = {
  requested: eventType('invoice.email.requested', Type.Object({ emailId })),
  /** Without the provider's id where it was found out later that the message was sent. */
  sent: eventType(
    'email.sent',
    Type.Object({ emailId, providerMessageId: Type.Union([Type.String(), Type.Null()]) }),
    'invoice',
  ),
  failed: eventType('email.failed', Type.Object({ emailId }), 'invoice'),
  uncertain: eventType('email.uncertain', Type.Object({ emailId }), 'invoice'),
};
