import { createTable } from './Migration';

/** At most one row, with id 1: which file store is the installation's. */
export default createTable(
  '20261121101100-create-file-store',
  'file_store',
  `
    id TINYINT UNSIGNED NOT NULL,
    storeId CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  `,
);
