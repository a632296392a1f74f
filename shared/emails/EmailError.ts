import { Type, type Static } from '@sinclair/typebox';
import { toJobError } from '../engine/jobs';
import { line, named, text } from '../engine/schemas';

/** The longest message that is stored, in characters. */
const MAX_MESSAGE = 1_000;

/** Why an e-mail was not sent or not delivered. */
export const emailError = named(
  'EmailError',
  Type.Object({
    code: {
      ...line(64),
      description:
        'That of the failed job, such as `email_refused`; `bounced`, `blocked` or `dropped` by the mail provider.',
    },
    message: { ...text(MAX_MESSAGE), description: 'For people.' },
  }),
);

export type EmailError = Static<typeof emailError>;

/** Returns what the events and the list of e-mails say of a failure. */
export function toEmailError(error: unknown): EmailError {
  const { code, message } = toJobError(error);
  return { code, message: printable(message) };
}

/** Returns text of the outside as one line of bounded length, without control characters. */
export function printable(text: string): string {
  return text
    .slice(0, MAX_MESSAGE * 4)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE)
    .replace(/\p{Cs}$/u, '');
}
