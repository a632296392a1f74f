import { createTable } from './Migration';

export default createTable(
  'number_sequences',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    series VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    nextValue BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (companyId, series)
  `,
);
