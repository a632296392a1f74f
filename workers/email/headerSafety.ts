import { EmailRefused } from '../../shared/errors';
import type { EmailMessage } from './EmailTransport';

const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const address = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/;
const identifier = /^[\w.@+-]{1,191}$/;

/** Text on one line, so that it cannot end the header that it is put in. */
function oneLine(text: string): string {
  return text.replace(controlCharacters, ' ').trim();
}

function checked(value: string, pattern: RegExp, what: string): string {
  if (!pattern.test(value) || /[\u0000-\u001f\u007f]/.test(value)) throw new EmailRefused(`the ${what} is not valid`);
  return value;
}

/**
 * The message with everything that goes into a header made safe: control characters in names, subject and file names
 * become spaces, and an address that is not exactly one plain address is refused.
 * @throws {EmailRefused} naming the field
 */
export function withSafeHeaders(message: EmailMessage): EmailMessage {
  return {
    ...message,
    messageId: checked(message.messageId, identifier, 'message id'),
    reference: checked(message.reference, identifier, 'reference'),
    from: { name: oneLine(message.from.name), address: checked(message.from.address, address, "sender's address") },
    replyTo: message.replyTo === null ? null : checked(message.replyTo, address, 'reply address'),
    to: { name: oneLine(message.to.name), address: checked(message.to.address, address, "recipient's address") },
    subject: oneLine(message.subject),
    attachments: message.attachments.map((attachment) => ({
      ...attachment,
      filename: oneLine(attachment.filename),
      contentType: checked(attachment.contentType, /^[\w.+-]+\/[\w.+-]+$/, 'content type of an attachment'),
    })),
  };
}
