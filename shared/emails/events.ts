import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';

const emailId = Type.Integer();

/** What happens to the e-mails of an invoice, which is the subject. */
export const emailEvents = {
  requested: eventType('invoice.email.requested', Type.Object({ emailId })),
  sent: eventType('email.sent', Type.Object({ emailId, providerMessageId: Type.String() }), 'invoice'),
  failed: eventType('email.failed', Type.Object({ emailId }), 'invoice'),
  uncertain: eventType('email.uncertain', Type.Object({ emailId }), 'invoice'),
};
