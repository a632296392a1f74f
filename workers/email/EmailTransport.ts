/** A mailbox with the name that a reader sees. */
export interface Mailbox {
  name: string;
  address: string;
}

/** A message, complete: nothing of it is fetched from anywhere. Text may hold any Unicode. */
export interface EmailMessage {
  /** Stable over retries and without angle brackets: how two copies of one message are told to be the same. */
  messageId: string;
  from: Mailbox;
  /** An address alone, or null. */
  replyTo: string | null;
  to: Mailbox;
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; content: Buffer }[];
  /** Our id of the e-mail, which the provider's reports bring back. */
  reference: string;
}

/**
 * A way to hand a message to a mail provider. One `send` never transmits the message twice and never retries by itself;
 * whoever calls decides by the error:
 *
 * - `EmailRefused`: not sent, and trying again is no use.
 * - `EmailUnavailable`: not sent, certainly; trying again is safe.
 * - `DeliveryUncertain`: handed over, and no answer came.
 */
export interface EmailTransport {
  /** Resolves once the provider has accepted the message. An abort fails it as a broken connection would. */
  send(message: EmailMessage, signal?: AbortSignal): Promise<{ providerMessageId: string }>;
  /** Closes idle connections; those in the middle of a message finish it first. No `send` may follow. */
  close(): Promise<void>;
}
