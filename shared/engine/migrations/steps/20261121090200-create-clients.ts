import { createRecordTable } from './Migration';

export default createRecordTable(
  'clients',
  `
    name VARCHAR(255) NOT NULL,
    email VARCHAR(254) NULL,
    phone VARCHAR(50) NULL,
    address VARCHAR(1000) NULL,
    taxId VARCHAR(100) NULL,
    locale VARCHAR(35) NULL,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    KEY clients_by_name (companyId, softDelete, name, id),
    KEY clients_by_created (companyId, softDelete, createdAt, id)
  `,
);
