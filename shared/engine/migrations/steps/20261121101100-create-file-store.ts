import { createTable } from './Migration';

/** Creates the table that names the installation's file store, in at most one row, with id 1. */
export default createTable(
  'file_store',
  `
    id TINYINT UNSIGNED NOT NULL,
    storeId CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  `,
);
