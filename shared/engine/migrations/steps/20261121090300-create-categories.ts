import { createRecordTable } from './Migration';

export default createRecordTable(
  'categories',
  `
    name VARCHAR(255) NOT NULL,
    activeName VARCHAR(255) GENERATED ALWAYS AS (IF(softDelete, NULL, name)) STORED,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE KEY categories_active_name (companyId, activeName),
    KEY categories_by_created (companyId, softDelete, createdAt, id)
  `,
);
