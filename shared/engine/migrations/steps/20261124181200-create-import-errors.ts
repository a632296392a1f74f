import { createCompanyTable } from './Migration';

/** What is wrong with the rows of an import. */
export default createCompanyTable(
  'import_errors',
  `
    importId BIGINT UNSIGNED NOT NULL,
    line INT UNSIGNED NOT NULL,
    field VARCHAR(100) NOT NULL,
    message VARCHAR(500) NOT NULL,
    KEY import_errors_by_import (companyId, importId, id),
    CONSTRAINT import_errors_import FOREIGN KEY (companyId, importId) REFERENCES imports (companyId, id) ON DELETE CASCADE
  `,
);
