import { createTable } from './Migration';

export default createTable(
  'stored_files',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    fileKey VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    kind VARCHAR(16) NOT NULL,
    contentType VARCHAR(100) NOT NULL,
    size BIGINT UNSIGNED NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY stored_files_id (id),
    UNIQUE KEY stored_files_key (companyId, fileKey),
    CONSTRAINT stored_files_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
