import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import type { NodemailerError } from 'nodemailer/lib/errors';
import type { SMTPPoolOptions, SMTPPoolSentMessageInfo } from 'nodemailer/lib/smtp-pool';
import type { Config } from '../../config/env';
import { readSmtpUrl } from '../../config/serverUrl';
import { composedMessage } from './composedMessage';
import {
  type AcceptedByProvider,
  automaticHeaders,
  type EmailMessage,
  type VerifiableTransport,
} from './EmailTransport';
import { EmailUnavailable } from '../../shared/engine/errors';
import { SlotPool } from '../../shared/engine/fair';
import { withSafeHeaders } from './headerSafety';
import { smtpFailure } from './smtpErrors';

/** A mail and the stream from which nodemailer sends it. The mail was written completely when the stream has ended. */
interface TrackedMail extends SendMailOptions {
  sent: { from?: Readable };
}

/** Hands messages to an SMTP server over kept-open connections. */
export class SmtpTransport implements VerifiableTransport {
  readonly #server: { server: string; hasOneSender: boolean };
  readonly #connections: readonly KeptConnection[];
  readonly #slots: SlotPool<KeptConnection>;

  /** @param connections kept open at most */
  constructor(settings: Config['email'], connections: number) {
    const url = readSmtpUrl(settings.smtpUrl);
    this.#server = {
      server: `${url.hostname}:${url.port || (url.protocol === 'smtps:' ? '465' : '587')}`,
      hasOneSender: settings.fromAddress !== '',
    };
    this.#connections = Array.from({ length: connections }, () => new KeptConnection(() => openMailer(settings, url)));
    this.#slots = new SlotPool(this.#connections);
  }

  async send(message: EmailMessage, signal?: AbortSignal): Promise<AcceptedByProvider> {
    const mail = mailOf(withSafeHeaders(message), signal);
    const connection = await this.#slots.take();
    let refusals = 1;
    try {
      const info = await connection.mailer.sendMail(mail);
      refusals = info.rejected.length;
      const providerMessageId = (info.serverMessageId ?? message.messageId).replace(/[<>]/g, '');
      if (refusals === 0) return { providerMessageId };
      // The other recipients have the message: a retry would send them a second one.
      return { providerMessageId, refused: `the mail server does not take it for ${info.rejected.join(', ')}` };
    } catch (error) {
      const { rejected } = error as { rejected?: string[] };
      refusals = Math.max(refusals, rejected?.length ?? 0);
      throw smtpFailure(error as NodemailerError, mail.sent.from?.readableEnded ?? false, this.#server);
    } finally {
      connection.count(refusals);
      this.#slots.giveBack(connection);
    }
  }

  async verify(): Promise<void> {
    const connection = await this.#slots.take();
    try {
      await connection.mailer.verify();
    } catch (error) {
      throw smtpFailure(error as NodemailerError, false, this.#server);
    } finally {
      this.#slots.giveBack(connection);
    }
  }

  async close(): Promise<void> {
    await this.#slots.close(new EmailUnavailable('the connections to the mail server are being closed'));
    for (const { mailer } of this.#connections) mailer.close();
  }
}

/** A new connection means TLS and a login, which some servers allow only so often. */
const MOST_REFUSALS = 5;

type Mailer = Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

/**
 * A connection that is kept for the next message, of whatever company. After some refusals the next message gets a new one: a server counts
 * the refusals of a session, and from the tenth on lets all that follows in it wait (Postfix: 1 s a reply, `smtpd_soft_error_limit`).
 */
class KeptConnection {
  mailer = this.open();
  private refusals = 0;

  constructor(private readonly open: () => Mailer) {}

  /** Counts the refusals of a message. */
  count(refusals: number): void {
    this.refusals += refusals;
    if (this.refusals < MOST_REFUSALS) return;
    this.refusals = 0;
    this.mailer.close({ force: true });
    this.mailer = this.open();
  }
}

function openMailer(settings: Config['email'], url: URL): Mailer {
  const mailer: Mailer = createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: 1000,
    // By default, the pool sends a message again whose connection closed. Here the job decides about retries.
    maxRequeues: 0,
    // Shorter than any server's time-out, so that this side closes idle connections first.
    idleTimeout: 30_000,
    connectionTimeout: settings.timeoutMs,
    greetingTimeout: settings.timeoutMs,
    dnsTimeout: settings.timeoutMs,
    socketTimeout: settings.timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...encryption(url),
    // The query of the URL overrides the options: `?requireTLS=false`, `?name=mail.example.com` and so on.
    url: settings.smtpUrl,
  });
  mailer.use('stream', (mail, done) => {
    const { sent } = mail.data as TrackedMail;
    mail.message.createReadStream = () => (sent.from = composedMessage(mail.message));
    done();
  });
  return mailer;
}

/**
 * Returns the TLS options. TLS is used wherever the server offers it. To another machine with a password, or by `smtps`, a message
 * is sent only over TLS with a verified certificate. Otherwise TLS is opportunistic (RFC 7435) and accepts any certificate.
 * With credentials, a server that offers no AUTH gets no message.
 */
function encryption({ protocol, hostname, username, password }: URL): SMTPPoolOptions {
  const hasCredentials = username !== '' || password !== '';
  const isRemote = !isLoopback(hostname.replace(/^\[|\]$/g, ''));
  const requireTLS = isRemote && hasCredentials;
  return {
    requireTLS,
    opportunisticTLS: !requireTLS,
    forceAuth: hasCredentials,
    tls: { rejectUnauthorized: requireTLS || (isRemote && protocol === 'smtps:') },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function mailOf(message: EmailMessage, signal: AbortSignal | undefined): TrackedMail {
  const { messageId, from, to, cc, replyTo, subject, text, html, attachments } = message;
  return {
    messageId: `<${messageId}>`,
    headers: automaticHeaders,
    envelope: { from: from.address, to: [...to.map(({ address }) => address), ...cc] },
    from,
    to,
    cc: cc.map((address) => ({ name: '', address })),
    subject,
    text,
    html,
    attachments: attachments.map(({ contentId, ...attachment }) =>
      contentId === undefined ? attachment : { ...attachment, cid: contentId, contentDisposition: 'inline' as const },
    ),
    ...(replyTo === null ? {} : { replyTo: { name: '', address: replyTo } }),
    ...(signal ? { signal } : {}),
    sent: {},
  };
}
