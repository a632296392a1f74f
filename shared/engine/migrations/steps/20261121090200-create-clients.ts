import { createTable } from './Migration';

export default createTable(
  'clients',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    name VARCHAR(255) NOT NULL,
    email VARCHAR(254) NULL,
    phone VARCHAR(50) NULL,
    address VARCHAR(1000) NULL,
    taxId VARCHAR(100) NULL,
    locale VARCHAR(35) NULL,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY clients_id (id),
    KEY clients_by_name (companyId, softDelete, name, id),
    KEY clients_by_created (companyId, softDelete, createdAt, id),
    CONSTRAINT clients_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
