import { createTable } from './Migration';

/** The reports of the mail provider that were processed, by its id of each. */
export default createTable(
  'email_reports',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    reportId VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, reportId),
    KEY email_reports_by_time (createdAt)
  `,
);
