import { loadConfig } from '../../../config/env';
import { createEmailTransport, type EmailMessage, type EmailTransport } from '../../../workers/mail';

/**
 * The SMTP transport under test, pointed at a server on this machine. Only a test that waits for the time-out needs a short one.
 * @param from the address that all messages come from; empty: each company's own
 */
export function smtpAt(smtpUrl: string, timeoutMs = 15_000, connections?: number, from = ''): EmailTransport {
  return createEmailTransport(
    loadConfig({ SMTP_URL: smtpUrl, EMAIL_TIMEOUT_MS: String(timeoutMs), MAIL_FROM: from }).email,
    connections,
  );
}

export function message(overrides: Partial<EmailMessage> = {}): EmailMessage {
  return {
    messageId: 'invoice-1@billing.example.com',
    from: { name: 'Acme Ltd', address: 'billing@acme.example.com' },
    replyTo: 'office@acme.example.com',
    to: [{ name: 'Jane Client', address: 'jane@client.example.com' }],
    cc: [],
    subject: 'Invoice INV-1',
    text: 'Please pay.',
    html: '<p>Please pay.</p>',
    attachments: [],
    ...overrides,
  };
}

/** What the promise fails with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error('it should have failed')),
    (error: unknown) => error,
  );
}
