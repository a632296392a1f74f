import { createTable } from './Migration';

export default createTable(
  'record_counts',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    kind VARCHAR(16) NOT NULL,
    softDelete BOOLEAN NOT NULL,
    status VARCHAR(16) NOT NULL,
    slot TINYINT UNSIGNED NOT NULL,
    total BIGINT NOT NULL,
    PRIMARY KEY (companyId, kind, softDelete, status, slot)
  `,
);
