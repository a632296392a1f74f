import { createTable } from './Migration';

export default createTable(
  'companies',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    name VARCHAR(255) NOT NULL,
    email VARCHAR(254) NULL,
    phone VARCHAR(50) NULL,
    address VARCHAR(1000) NULL,
    taxId VARCHAR(100) NULL,
    currency CHAR(3) NOT NULL,
    locale VARCHAR(35) NOT NULL,
    timezone VARCHAR(64) NOT NULL,
    invoiceNumberFormat VARCHAR(50) NOT NULL,
    logoKey VARCHAR(191) NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (id)
  `,
);
