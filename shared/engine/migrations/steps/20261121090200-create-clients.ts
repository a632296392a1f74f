import { createCompanyTable } from './Migration';

export default createCompanyTable(
  'clients',
  `
    name VARCHAR(255) NOT NULL,
    email VARCHAR(254) NULL,
    phone VARCHAR(50) NULL,
    address VARCHAR(1000) NULL,
    taxId VARCHAR(100) NULL,
    locale VARCHAR(35) NULL,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    KEY clients_by_name (companyId, softDelete, name, id),
    KEY clients_by_created (companyId, softDelete, createdAt, id),
    CONSTRAINT clients_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
