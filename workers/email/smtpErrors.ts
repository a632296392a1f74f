import type { NodemailerError } from 'nodemailer/lib/errors';
import { DeliveryUncertain, EmailRefused, EmailUnavailable } from '../../shared/errors';

/** The codes under which nodemailer reports a server's reply, or its own refusal to ask, to a command of ours. */
const answered: ReadonlySet<string | undefined> = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE']);

/**
 * What a failed SMTP delivery means. Any reply to a command is an answer: 5xx is for good, 4xx for now (RFC 5321, 4.2.1);
 * 503 says that the session was out of step and so counts as 4xx. Without an answer, what decides is whether the end of
 * the data was written: a server must drop a message whose connection breaks before that (RFC 5321, 4.1.1.10).
 */
export function smtpFailure(error: NodemailerError, dataEnded: boolean): Error {
  const code = error.responseCode;
  if (answered.has(error.code) && (code === undefined || code >= 400)) {
    if (code !== undefined && !isPermanent(code)) return unavailable(error);
    return new EmailRefused(refusalMessage(error), error);
  }
  if (dataEnded) return new DeliveryUncertain('the mail server took the message and did not confirm it', error);
  // A greeting with 5xx ("554 no service here") comes before any command.
  if (code !== undefined && isPermanent(code)) return new EmailRefused(refusalMessage(error), error);
  return unavailable(error);
}

const isPermanent = (code: number) => code >= 500 && code !== 503;

function unavailable(error: NodemailerError): EmailUnavailable {
  const reason = error.response === undefined ? 'cannot be reached or did not answer' : `said: ${shortReply(error)}`;
  return new EmailUnavailable(`the mail server ${reason}`, error);
}

function refusalMessage(error: NodemailerError): string {
  if (error.code === 'EAUTH') return 'the mail server does not accept the configured user and password';
  if (error.response === undefined) return `the message cannot be sent: ${error.message}`;
  return `the mail server refused the message: ${shortReply(error)}`;
}

const shortReply = (error: NodemailerError) => (error.response ?? '').replace(/\s+/g, ' ').slice(0, 200);
