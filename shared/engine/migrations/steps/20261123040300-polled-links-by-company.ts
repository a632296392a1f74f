import { inStatements } from './Migration';

/** Lets the open payment links of one company be read in the order in which they are polled, so that companies take turns. */
export default inStatements({
  up: [
    `ALTER TABLE payment_links
      DROP KEY payment_links_to_poll, ADD KEY payment_links_to_poll (companyId, status, pollAt, id),
      ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: [
    `ALTER TABLE payment_links
      DROP KEY payment_links_to_poll, ADD KEY payment_links_to_poll (status, pollAt, id)`,
  ],
});
