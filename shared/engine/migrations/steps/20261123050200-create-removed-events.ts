import { createTable } from './Migration';

/** The newest event of each company that was removed from its feed: a reader that has read less is told. */
export default createTable(
  'removed_events',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    upTo BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (companyId)
  `,
);
