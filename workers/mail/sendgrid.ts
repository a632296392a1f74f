import type { MailDataRequired } from '@sendgrid/mail';
import type { Config } from '../../config/env';
import { EmailAccountRefused } from '../../shared/engine/errors';
import { withDeadline } from '../withDeadline';
import {
  type AcceptedByProvider,
  automaticHeaders,
  type EmailMessage,
  type VerifiableTransport,
} from './EmailTransport';
import type { Handover } from './handover';
import { withSafeHeaders } from './headerSafety';
import { sendGridCheckFailure, sendGridFailure } from './sendgridErrors';

/**
 * Hands messages to SendGrid's Web API v3, `POST /v3/mail/send`. The API has no idempotency key. SendGrid's event webhook
 * reports the outcome of an uncertain message with `custom_args.reference`, its Message-ID. Its packages are loaded by the first call.
 */
export class SendGridTransport implements VerifiableTransport {
  constructor(private readonly settings: Config['email']) {}

  send(message: EmailMessage, signal?: AbortSignal): Promise<AcceptedByProvider> {
    return withDeadline(this.settings.timeoutMs, signal, (until) => this.#sendUntil(until, message));
  }

  async #sendUntil(until: AbortSignal, message: EmailMessage): Promise<AcceptedByProvider> {
    const handover: Handover = { begun: false };
    const { MailService, OneCall } = await import('./sendgridCall.js');
    const service = new MailService();
    const safe = withSafeHeaders(message);
    const files = safe.attachments.map(({ content }) => content);
    const call = new OneCall(this.settings, handover, until, files);
    service.setClient(call);
    const mail = mailOf(safe, call.place);
    try {
      const [response] = await service.send(mail);
      const { 'x-message-id': id } = response.headers as Record<string, unknown>;
      return { providerMessageId: typeof id === 'string' && id !== '' ? id : message.messageId };
    } catch (error) {
      throw sendGridFailure(error, handover);
    }
  }

  async verify(): Promise<void> {
    const { OneCall } = await import('./sendgridCall.js');
    const client = new OneCall(this.settings, { begun: false }, AbortSignal.timeout(this.settings.timeoutMs));
    const scopes = await client.request({ method: 'GET', url: '/v3/scopes' }).then(
      ([, body]) => (body as { scopes?: unknown } | null)?.scopes,
      (error: unknown) => Promise.reject(sendGridCheckFailure(error)),
    );
    if (Array.isArray(scopes) && !scopes.includes('mail.send')) {
      throw new EmailAccountRefused('SENDGRID_API_KEY lacks the permission "Mail Send" (mail.send)');
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** @param place what stands for the content of each attachment, in their order */
function mailOf(message: EmailMessage, place: string): MailDataRequired {
  const { messageId, from, to, cc, replyTo, subject, text, html, attachments } = message;
  return {
    from: { name: from.name, email: from.address },
    to: to.map(({ name, address }) => ({ name, email: address })),
    ...(cc.length > 0 && { cc: cc.map((email) => ({ email })) }),
    ...(replyTo === null ? {} : { replyTo: { email: replyTo } }),
    subject,
    content: [
      { type: 'text/plain', value: text },
      { type: 'text/html', value: html },
    ],
    headers: { 'Message-ID': `<${messageId}>`, ...automaticHeaders },
    customArgs: { reference: messageId },
    attachments: attachments.map(({ filename, contentType, contentId }) => ({
      filename,
      type: contentType,
      content: place,
      ...(contentId === undefined ? { disposition: 'attachment' } : { disposition: 'inline', contentId }),
    })),
  };
}
