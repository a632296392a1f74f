import { asciiAddress, isEmailAddress } from '../../config/emailAddress';
import { EmailRefused } from '../../shared/engine/errors';
import type { EmailMessage } from './EmailTransport';

const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Puts text on one line, so that it cannot end its header. */
function oneLine(text: string): string {
  return text.replace(controlCharacters, ' ').trim();
}

function checked(value: string, isValid: (value: string) => boolean, what: string): string {
  if (!isValid(value)) throw new EmailRefused(`the ${what} is not valid`);
  return value;
}

/** Returns a valid address in ASCII: SendGrid accepts an internationalised domain, but drops the message later. */
function checkedAddress(address: string, what: string): string {
  return asciiAddress(checked(address, isEmailAddress, what));
}

const isIdentifier = (value: string): boolean => /^[\w.@+-]{1,191}$/.test(value);
const isMediaType = (value: string): boolean => /^[\w.+-]+\/[\w.+-]+$/.test(value);

/**
 * Returns the message with safe headers: control characters in names, subject and file names become spaces, and domains of
 * addresses become ASCII.
 * @throws {EmailRefused} for a value that is not exactly one plain address, identifier or media type, naming the field.
 */
export function withSafeHeaders(message: EmailMessage): EmailMessage {
  return {
    ...message,
    messageId: checked(message.messageId, isIdentifier, 'message id'),
    from: {
      name: oneLine(message.from.name),
      address: checkedAddress(message.from.address, "sender's address"),
    },
    replyTo: message.replyTo === null ? null : checkedAddress(message.replyTo, 'reply address'),
    to: message.to.map(({ name, address }) => ({
      name: oneLine(name),
      address: checkedAddress(address, "recipient's address"),
    })),
    cc: message.cc.map((address) => checkedAddress(address, "recipient's address")),
    subject: oneLine(message.subject),
    attachments: message.attachments.map((attachment) => ({
      ...attachment,
      filename: oneLine(attachment.filename),
      ...(attachment.contentId !== undefined && {
        contentId: checked(attachment.contentId, isIdentifier, 'content id of an attachment'),
      }),
      contentType: checked(attachment.contentType, isMediaType, 'content type of an attachment'),
    })),
  };
}
