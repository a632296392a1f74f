/** A mailbox and its displayed name. */
export interface Mailbox {
  name: string;
  address: string;
}

/** Headers of every message. They ask mail servers to send no automatic reply, such as an absence note (RFC 3834, 5). */
export const automaticHeaders = { 'Auto-Submitted': 'auto-generated' };

/** The response of a provider that has accepted a message. */
export interface AcceptedByProvider {
  providerMessageId: string;
  /** Why some of several recipients were refused; absent if all were accepted. */
  refused?: string;
}

/** A complete message: the transport fetches no part of it. Text may contain any Unicode. */
export interface EmailMessage {
  /**
   * The Message-ID, without angle brackets. It stays the same over retries, so that two copies can be recognised as one message
   * and the provider's reports can be matched to it. It reveals nothing about our records.
   */
  messageId: string;
  from: Mailbox;
  /** An address alone, or null. */
  replyTo: string | null;
  /** At least one, and no address twice in `to` and `cc`. */
  to: Mailbox[];
  cc: string[];
  subject: string;
  text: string;
  html: string;
  /** One with a `contentId` is a picture that the HTML shows. */
  attachments: { filename: string; contentType: string; content: Buffer; contentId?: string }[];
}

/**
 * Hands messages to a mail provider. One `send` transmits the message at most once and never retries by itself. The caller
 * decides by the error:
 *
 * - `EmailRefused`: not sent, and a retry cannot help.
 * - `EmailUnavailable`: certainly not sent; a retry is safe.
 * - `DeliveryUncertain`: handed over without a response; a retry might send it twice.
 */
export interface EmailTransport {
  /** Resolves once the provider has accepted the message. An abort fails like a broken connection. */
  send(message: EmailMessage, signal?: AbortSignal): Promise<AcceptedByProvider>;
  /** Closes the connections, after the messages in progress. No `send` may follow. */
  close(): Promise<void>;
}

/** A transport that can be tested without a message. */
export interface VerifiableTransport extends EmailTransport {
  /**
   * Connects and authenticates, and sends nothing.
   * @throws {EmailUnavailable} or {EmailRefused} when no message can be sent; the message says why.
   */
  verify(): Promise<void>;
}
