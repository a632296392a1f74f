import { createCompanyTable } from './Migration';

export default createCompanyTable(
  'stored_files',
  `
    fileKey VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    kind VARCHAR(16) NOT NULL,
    contentType VARCHAR(100) NOT NULL,
    size BIGINT UNSIGNED NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    UNIQUE KEY stored_files_key (companyId, fileKey),
    CONSTRAINT stored_files_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
