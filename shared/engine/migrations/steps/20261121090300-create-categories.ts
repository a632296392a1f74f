import { createCompanyTable } from './Migration';

export default createCompanyTable(
  'categories',
  `
    name VARCHAR(255) NOT NULL,
    activeName VARCHAR(255) GENERATED ALWAYS AS (IF(softDelete, NULL, name)) STORED,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    UNIQUE KEY categories_active_name (companyId, activeName),
    KEY categories_by_created (companyId, softDelete, createdAt, id),
    CONSTRAINT categories_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
