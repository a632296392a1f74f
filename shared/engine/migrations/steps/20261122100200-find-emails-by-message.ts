import { addKeys } from './Migration';

/** Finds the e-mail that a report of the mail provider is about: it names the Message-ID, and no company. */
export default addKeys('emails', { emails_by_message: 'messageId' });
