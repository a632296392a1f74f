import type { Config } from '../../config/env';
import { traced } from '../../shared/engine/trace';
import type { VerifiableTransport } from './EmailTransport';
import { SendGridTransport } from './sendgrid';
import { SmtpTransport } from './smtp';

export type { AcceptedByProvider, EmailMessage, EmailTransport, Mailbox } from './EmailTransport';
export { MailPause } from './MailPause';

/**
 * Creates the configured mail transport. Opens no connection yet.
 * @param connections how many messages are sent over SMTP at the same time
 */
export function createEmailTransport(settings: Config['email'], connections = 10): VerifiableTransport {
  const transport = openTransport(settings, connections);
  const options = { kind: 'client', attributes: { 'invoicing.email.transport': settings.transport } } as const;
  return {
    send: (message, signal) => traced('send e-mail', options, () => transport.send(message, signal)),
    verify: () => transport.verify(),
    close: () => transport.close(),
  };
}

function openTransport(settings: Config['email'], connections: number): VerifiableTransport {
  switch (settings.transport) {
    case 'smtp':
      return new SmtpTransport(settings, connections);
    case 'sendgrid':
      return new SendGridTransport(settings);
  }
}
