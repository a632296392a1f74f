import { createRecordTable } from './Migration';

export default createRecordTable(
  'emails',
  `
    invoiceId BIGINT UNSIGNED NOT NULL,
    messageId VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    recipient VARCHAR(254) NOT NULL,
    status VARCHAR(16) NOT NULL,
    providerMessageId VARCHAR(255) NULL,
    attemptedAt DATETIME(3) NULL,
    sentAt DATETIME(3) NULL,
    KEY emails_by_invoice (companyId, invoiceId, id),
    CONSTRAINT emails_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
