import { createRecordTable } from './Migration';

export default createRecordTable(
  'payment_links',
  `
    invoiceId BIGINT UNSIGNED NOT NULL,
    provider VARCHAR(32) NOT NULL,
    reference CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    gatewayId VARCHAR(191) NULL,
    url VARCHAR(2048) NULL,
    status VARCHAR(16) NOT NULL,
    total DECIMAL(15,2) NOT NULL,
    amount DECIMAL(15,2) NOT NULL,
    currency CHAR(3) NOT NULL,
    calledAt DATETIME(3) NULL,
    expiresAt DATETIME(3) NULL,
    pollAt DATETIME(3) NOT NULL,
    UNIQUE KEY payment_links_reference (reference),
    KEY payment_links_by_invoice (companyId, invoiceId, status),
    KEY payment_links_to_poll (status, pollAt, id),
    CONSTRAINT payment_links_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
