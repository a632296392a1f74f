import { createTable } from './Migration';

export default createTable(
  'invoice_numbers',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    invoiceNumber VARBINARY(200) NOT NULL,
    invoiceId BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (companyId, invoiceNumber),
    KEY invoice_numbers_by_invoice (companyId, invoiceId),
    CONSTRAINT invoice_numbers_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
