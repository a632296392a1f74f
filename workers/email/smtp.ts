import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import type { NodemailerError } from 'nodemailer/lib/errors';
import type { SMTPPoolOptions, SMTPPoolSentMessageInfo } from 'nodemailer/lib/smtp-pool';
import { ConfigurationError, type Config } from '../../config/env';
import type { EmailMessage, EmailTransport } from './EmailTransport';
import { withSafeHeaders } from './headerSafety';
import { smtpFailure } from './smtpErrors';

/** A mail that remembers the stream which nodemailer sends it from: a stream that ended was written to the end. */
interface TrackedMail extends SendMailOptions {
  sent: { from?: Readable };
}

/** Hands messages to an SMTP server over kept-open connections. */
export class SmtpTransport implements EmailTransport {
  readonly #mailer: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

  /**
   * @param connections kept open at most
   * @throws {ConfigurationError} when the server's address is empty
   */
  constructor(settings: Config['email'], connections: number) {
    if (settings.smtpUrl === '') {
      throw new ConfigurationError(['SMTP_URL is empty; set the mail server, smtp://user:password@host:587']);
    }
    this.#mailer = createTransport({
      pool: true,
      maxConnections: connections,
      maxMessages: 1000,
      // The pool would send a message again whose connection closed; whether that is right is not for it to say.
      maxRequeues: 0,
      // Shorter than any server's patience, so that it is we who close.
      idleTimeout: 30_000,
      connectionTimeout: settings.timeoutMs,
      greetingTimeout: settings.timeoutMs,
      dnsTimeout: settings.timeoutMs,
      socketTimeout: settings.timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...encryption(new URL(settings.smtpUrl)),
      // Last, and its query wins: `?requireTLS=false`, `?name=mail.example.com` and so on.
      url: settings.smtpUrl,
    });
    this.#mailer.use('stream', (mail, done) => {
      const { sent } = mail.data as TrackedMail;
      const createReadStream = mail.message.createReadStream.bind(mail.message);
      mail.message.createReadStream = (options) => (sent.from = createReadStream(options));
      done();
    });
  }

  async send(message: EmailMessage, signal?: AbortSignal): Promise<{ providerMessageId: string }> {
    const mail = mailOf(withSafeHeaders(message), signal);
    try {
      const info = await this.#mailer.sendMail(mail);
      return { providerMessageId: (info.serverMessageId ?? message.messageId).replace(/[<>]/g, '') };
    } catch (error) {
      throw smtpFailure(error as NodemailerError, mail.sent.from?.readableEnded ?? false);
    }
  }

  close(): Promise<void> {
    this.#mailer.close();
    return Promise.resolve();
  }
}

/** Nothing is encrypted on the way to this machine itself; a password goes nowhere else in the clear. */
function encryption({ hostname, password }: URL): SMTPPoolOptions {
  const host = hostname.replace(/^\[|\]$/g, '');
  const loopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return loopback ? { ignoreTLS: true } : { requireTLS: password !== '' };
}

function mailOf(message: EmailMessage, signal: AbortSignal | undefined): TrackedMail {
  const { messageId, reference, from, to, replyTo, subject, text, html, attachments } = message;
  return {
    messageId: `<${messageId}>`,
    headers: { 'X-Email-Reference': reference },
    envelope: { from: from.address, to: [to.address] },
    from,
    to,
    subject,
    text,
    html,
    attachments,
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    ...(signal ? { signal } : {}),
    sent: {},
  };
}
