import { inStatements } from './Migration';

/** Lets it be found whether e-mails to an address have bounced. */
export default inStatements({
  up: [
    `ALTER TABLE emails
      ADD KEY emails_bounced (companyId, recipient, bouncedAt), ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: ['ALTER TABLE emails DROP KEY emails_bounced'],
});
