import { createTable } from './Migration';

/** Adds one row for each company with receipts: the bytes they take. So a quota check does not sum over all receipts. */
export default createTable(
  'receipt_usage',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (companyId)
  `,
  `INSERT INTO receipt_usage (companyId, bytes)
     SELECT companyId, SUM(size) FROM stored_files WHERE kind = 'receipt' GROUP BY companyId`,
);
