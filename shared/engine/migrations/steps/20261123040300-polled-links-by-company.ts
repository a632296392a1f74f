import type { Migration } from './Migration';

/** Lets the open payment links of one company be read in the order in which they are polled, so that companies take turns. */
const polledLinksByCompany: Migration = {
  name: '20261123040300-polled-links-by-company',
  up: async (sql) => {
    await sql.query(`ALTER TABLE payment_links
      DROP KEY payment_links_to_poll, ADD KEY payment_links_to_poll (companyId, status, pollAt, id),
      ALGORITHM=INPLACE, LOCK=NONE`);
  },
  down: async (sql) => {
    await sql.query(`ALTER TABLE payment_links
      DROP KEY payment_links_to_poll, ADD KEY payment_links_to_poll (status, pollAt, id)`);
  },
};

export default polledLinksByCompany;
