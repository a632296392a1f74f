import type { Migration } from './Migration';

/** Lets it be found whether e-mails to an address have bounced. */
const findBouncedEmails: Migration = {
  name: '20261123090300-find-bounced-emails',
  up: async (sql) => {
    await sql.query(`ALTER TABLE emails
      ADD KEY emails_bounced (companyId, recipient, bouncedAt), ALGORITHM=INPLACE, LOCK=NONE`);
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE emails DROP KEY emails_bounced');
  },
};

export default findBouncedEmails;
