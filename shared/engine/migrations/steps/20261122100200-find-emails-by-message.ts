import type { Migration } from './Migration';

/** Finds the e-mail that a report of the mail provider is about: it names the Message-ID, and no company. */
const findEmailsByMessage: Migration = {
  name: '20261122100200-find-emails-by-message',
  up: async (sql) => {
    await sql.query('ALTER TABLE emails ADD KEY emails_by_message (messageId), ALGORITHM=INPLACE, LOCK=NONE');
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE emails DROP KEY emails_by_message');
  },
};

export default findEmailsByMessage;
