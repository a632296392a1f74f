import { createCompanyTable } from './Migration';

/** Files of clients and of expenses that are imported. The counts together say how far one is. */
export default createCompanyTable(
  'imports',
  `
    type VARCHAR(16) NOT NULL,
    status VARCHAR(16) NOT NULL,
    dryRun TINYINT(1) NOT NULL,
    fileId BIGINT UNSIGNED NOT NULL,
    rowCount INT UNSIGNED NOT NULL,
    created INT UNSIGNED NOT NULL DEFAULT 0,
    unchanged INT UNSIGNED NOT NULL DEFAULT 0,
    failed INT UNSIGNED NOT NULL DEFAULT 0,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    endedAt DATETIME(3) NULL,
    KEY imports_by_status (companyId, status),
    KEY imports_by_file (companyId, fileId),
    KEY imports_by_end (endedAt)
  `,
);
