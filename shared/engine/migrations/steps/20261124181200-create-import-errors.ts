import { createTable } from './Migration';

/** What is wrong with the rows of an import. */
export default createTable(
  'import_errors',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    importId BIGINT UNSIGNED NOT NULL,
    line INT UNSIGNED NOT NULL,
    field VARCHAR(100) NOT NULL,
    message VARCHAR(500) NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY import_errors_id (id),
    KEY import_errors_by_import (companyId, importId, id),
    CONSTRAINT import_errors_import FOREIGN KEY (companyId, importId) REFERENCES imports (companyId, id) ON DELETE CASCADE
  `,
);
