import { createRecordTable } from './Migration';

export default createRecordTable(
  'stored_files',
  `
    fileKey VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    kind VARCHAR(16) NOT NULL,
    contentType VARCHAR(100) NOT NULL,
    size BIGINT UNSIGNED NOT NULL,
    UNIQUE KEY stored_files_key (companyId, fileKey)
  `,
);
