import type { NodemailerError } from 'nodemailer/lib/errors';
import { DeliveryUncertain, EmailAccountRefused, EmailRefused, EmailUnavailable } from '../../shared/engine/errors';

/** Codes by which nodemailer reports a server's reply to a command, or refuses a message itself. */
const replied: ReadonlySet<string | undefined> = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE']);
/**
 * The server requires a user and a password (RFC 4954, 6), or TLS (RFC 3207, 4), for this command: some servers only for some senders or
 * recipients.
 */
const AUTHENTICATION_REQUIRED = 530;
/** Replies to a command that a server does not have (RFC 5321, 4.2.2); Postfix replies 503 to AUTH where it is not enabled. */
const notOffered: ReadonlySet<number | undefined> = new Set([500, 501, 502, 503, 504]);

/**
 * Returns the error for a failed SMTP delivery. A reply to a command is a known outcome: 5xx is permanent, 4xx temporary
 * (RFC 5321, 4.2.1). 503 means that the session was out of step, so it counts as temporary, and so does the limit of an account. A
 * refusal of the credentials or of TLS is a problem of the account, not of the message, if every message gets it: before MAIL, or in
 * reply to the MAIL that all messages have in common. Without a reply, the outcome is uncertain only if the end of the data was written:
 * a server must drop a message whose connection breaks before that (RFC 5321, 4.1.1.10).
 * @param server its host and port, which only operators read, and whether all messages have the same sender there
 */
export function smtpFailure(
  error: NodemailerError,
  dataEnded: boolean,
  { server, hasOneSender }: { server: string; hasOneSender: boolean },
): Error {
  const code = error.responseCode;
  const problem = accountProblem(error, hasOneSender);
  if (problem !== null) return new EmailAccountRefused(problem, error);
  if (replied.has(error.code) && (code === undefined || code >= 400)) {
    if (code !== undefined && !isPermanent(error, code)) return unavailable(error, server);
    return new EmailRefused(refusalMessage(error), error);
  }
  if (dataEnded) return new DeliveryUncertain('the mail server took the message and did not confirm it', error);
  // A greeting with 5xx ("554 no service here") comes before any command.
  if (code !== undefined && isPermanent(error, code)) return new EmailRefused(refusalMessage(error), error);
  return unavailable(error, server);
}

/** The account has sent all that it may for now (Google: `550 5.4.5 Daily user sending limit exceeded`). */
const isUsedUp = ({ response = '' }: NodemailerError) => /^5\d\d[ -]5\.4\.5\b/.test(response);

const isPermanent = (error: NodemailerError, code: number) => code >= 500 && code !== 503 && !isUsedUp(error);

/** Returns the problem of the account or its configuration because of which nothing can be sent, or null. */
function accountProblem(error: NodemailerError, hasOneSender: boolean): string | null {
  const { code, responseCode, command } = error;
  if (responseCode !== undefined && responseCode < 500) return null;
  if (code === 'ETLS' && responseCode !== undefined) {
    return `the mail server offers no STARTTLS, without which no password is sent to another machine: ${shortReply(error)}`;
  }
  if (code === 'EAUTH' && notOffered.has(responseCode)) {
    return `the mail server offers no AUTH for the user and password of SMTP_URL: ${shortReply(error)}`;
  }
  if (code === 'EAUTH')
    return `the mail server does not accept the user and password of SMTP_URL: ${shortReply(error)}`;
  // A server may have a limit for each sender, and a reply about a recipient or a whole message may come from the recipient's own server.
  // Google replies so to the command DATA, before the message.
  const mayBeQuoted = command === 'RCPT TO' || code === 'EMESSAGE';
  if (isUsedUp(error) && hasOneSender && !mayBeQuoted) {
    return `the account of SMTP_URL may send no more for now: ${shortReply(error)}`;
  }
  const isOfEveryMessage = command === 'HELO' || (command === 'MAIL FROM' && hasOneSender);
  if (responseCode === AUTHENTICATION_REQUIRED && isOfEveryMessage) {
    return `the mail server requires a user and password in SMTP_URL, or TLS: ${shortReply(error)}`;
  }
  return null;
}

/**
 * Of Node.js' codes for certificates, those that are about the authority (documentation of `node:tls`, "X509 certificate
 * error codes").
 */
const unknownAuthority: ReadonlySet<string | undefined> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const otherCertificateCodes: ReadonlySet<string | undefined> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function unavailable(error: NodemailerError, server: string): EmailUnavailable {
  return new EmailUnavailable(`the mail server ${whyUnavailable(error)}`, error, null, operatorDetail(error, server));
}

/** A message of Node.js about a connection names the address and why: `connect ECONNREFUSED 10.0.0.7:587`. */
const operatorDetail = ({ response, message }: NodemailerError, server: string): string =>
  response === undefined ? `${server}: ${message}` : server;

function whyUnavailable(error: NodemailerError): string {
  const { code, originalCode } = error;
  if (unknownAuthority.has(originalCode)) {
    return `has a certificate of an authority that is not trusted (${originalCode}): NODE_EXTRA_CA_CERTS can name it`;
  }
  if (otherCertificateCodes.has(originalCode)) return `has a certificate that is not valid (${originalCode})`;
  if (code === 'ETLS' || originalCode?.startsWith('ERR_SSL_')) return `agrees on no TLS session: ${error.message}`;
  return error.response === undefined ? 'cannot be reached or did not respond' : `replied: ${shortReply(error)}`;
}

function refusalMessage(error: NodemailerError): string {
  if (error.response === undefined) return `the message cannot be sent: ${error.message}`;
  return `the mail server refused the message: ${shortReply(error)}`;
}

const shortReply = (error: NodemailerError) => (error.response ?? error.message).replace(/\s+/g, ' ').slice(0, 200);
