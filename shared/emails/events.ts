import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { line, oneOf, orNull, recordId } from '../engine/schemas';
import { emailError } from './EmailError';
import { LONGEST_TO } from './recipients';

const email = { emailId: recordId, to: line(LONGEST_TO) };
/** Why the e-mail of an occurrence is not requested: the codes that a request of send-email gets. */
export const obstacles = ['sender_not_found', 'client_without_email'] as const;
const reason = oneOf('EmailSkipReason', obstacles);

const failure = Type.Object({ ...email, error: emailError });

/** What happens to the e-mails of an invoice, which is the subject. */
export const emailEvents = {
  requested: eventType('email.requested', Type.Object(email), {
    meaning: 'An e-mail with an invoice was requested.',
    subject: 'invoice',
    summary: ({ to }) => `${emailTo(to)} was requested`,
  }),
  skipped: eventType('email.skipped', Type.Object({ reason, message: line(255) }), {
    meaning:
      'The occurrence of an invoice with `autoSend` was created and is not e-mailed; `reason` and `message` say why.',
    subject: 'invoice',
    summary: ({ message }) => `An e-mail was skipped${message === undefined ? '' : `: ${message}`}`,
  }),
  /** Without the provider's id where it was found out later that the message was sent. */
  sent: eventType('email.sent', Type.Object({ ...email, providerMessageId: orNull(line(255)) }), {
    meaning: 'The mail provider has accepted an e-mail.',
    subject: 'invoice',
    summary: ({ to }) => `${emailTo(to)} was accepted by the mail provider`,
  }),
  delivered: eventType('email.delivered', Type.Object(email), {
    meaning: 'The mail server of the client has taken an e-mail, as the mail provider reports.',
    subject: 'invoice',
    summary: ({ to }) => `${emailTo(to)} was delivered`,
  }),
  bounced: eventType('email.bounced', failure, {
    meaning: 'The mail server of the client has refused an e-mail, as the mail provider reports.',
    subject: 'invoice',
    summary: ({ to, error }) => `${emailTo(to)} bounced${because(error)}`,
  }),
  complained: eventType('email.complained', Type.Object(email), {
    meaning: 'The recipient has reported an e-mail as spam, as the mail provider reports.',
    subject: 'invoice',
    summary: ({ to }) => `${emailTo(to)} was reported as spam`,
  }),
  failed: eventType('email.failed', failure, {
    meaning: 'An e-mail was not sent, or was dropped by the mail provider, and is not retried by itself.',
    subject: 'invoice',
    summary: ({ to, error }) => `${emailTo(to)} failed${because(error)}`,
  }),
  uncertain: eventType('email.uncertain', failure, {
    meaning: 'It is not known whether an e-mail was sent. It is not repeated by itself.',
    subject: 'invoice',
    summary: ({ to, error }) => `${emailTo(to)} may or may not have been sent${because(error)}`,
  }),
};

const emailTo = (to: string | undefined): string => (to === undefined ? 'An e-mail' : `E-mail to ${to}`);

const because = (error: { message: string } | undefined): string =>
  error === undefined || error.message === '' ? '' : `: ${error.message}`;
