import { isEmailAddress } from '../../config/emailAddress';
import { EmailRefused } from '../../shared/errors';
import type { EmailMessage } from './EmailTransport';

const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Text on one line, so that it cannot end the header that it is put in. */
function oneLine(text: string): string {
  return text.replace(controlCharacters, ' ').trim();
}

function checked(value: string, isValid: (value: string) => boolean, what: string): string {
  if (!isValid(value)) throw new EmailRefused(`the ${what} is not valid`);
  return value;
}

const isIdentifier = (value: string): boolean => /^[\w.@+-]{1,191}$/.test(value);
const isMediaType = (value: string): boolean => /^[\w.+-]+\/[\w.+-]+$/.test(value);

/**
 * The message with everything that goes into a header made safe: control characters in names, subject and file names
 * become spaces, and an address that is not exactly one plain address is refused.
 * @throws {EmailRefused} naming the field
 */
export function withSafeHeaders(message: EmailMessage): EmailMessage {
  return {
    ...message,
    messageId: checked(message.messageId, isIdentifier, 'message id'),
    reference: checked(message.reference, isIdentifier, 'reference'),
    from: {
      name: oneLine(message.from.name),
      address: checked(message.from.address, isEmailAddress, "sender's address"),
    },
    replyTo: message.replyTo === null ? null : checked(message.replyTo, isEmailAddress, 'reply address'),
    to: { name: oneLine(message.to.name), address: checked(message.to.address, isEmailAddress, "recipient's address") },
    subject: oneLine(message.subject),
    attachments: message.attachments.map((attachment) => ({
      ...attachment,
      filename: oneLine(attachment.filename),
      contentType: checked(attachment.contentType, isMediaType, 'content type of an attachment'),
    })),
  };
}
