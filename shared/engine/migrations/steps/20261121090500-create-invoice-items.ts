import { createTable } from './Migration';

export default createTable(
  'invoice_items',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    invoiceId BIGINT UNSIGNED NOT NULL,
    position SMALLINT UNSIGNED NOT NULL,
    description VARCHAR(500) NOT NULL,
    quantity DECIMAL(15,2) NOT NULL,
    unitPrice DECIMAL(15,2) NOT NULL,
    amount DECIMAL(15,2) NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    updatedAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, invoiceId, position),
    UNIQUE KEY invoice_items_id (id),
    CONSTRAINT invoice_items_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id) ON DELETE CASCADE
  `,
);
