import { inStatements } from './Migration';

/** Finds the e-mail that a report of the mail provider is about: it names the Message-ID, and no company. */
export default inStatements({
  up: ['ALTER TABLE emails ADD KEY emails_by_message (messageId), ALGORITHM=INPLACE, LOCK=NONE'],
  down: ['ALTER TABLE emails DROP KEY emails_by_message'],
});
