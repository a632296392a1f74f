import { createTable } from './Migration';

export default createTable(
  'categories',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    name VARCHAR(255) NOT NULL,
    activeName VARCHAR(255) GENERATED ALWAYS AS (IF(softDelete, NULL, name)) STORED,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY categories_id (id),
    UNIQUE KEY categories_active_name (companyId, activeName),
    KEY categories_by_created (companyId, softDelete, createdAt, id),
    CONSTRAINT categories_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
