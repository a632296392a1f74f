import { createRecordTable } from './Migration';

export default createRecordTable(
  'payments',
  `
    invoiceId BIGINT UNSIGNED NOT NULL,
    paymentLinkId BIGINT UNSIGNED NULL,
    gatewayId VARCHAR(191) CHARACTER SET ascii COLLATE ascii_bin NULL,
    amount DECIMAL(15,2) NOT NULL,
    settles DECIMAL(15,2) NOT NULL,
    currency CHAR(3) NOT NULL,
    method VARCHAR(64) NULL,
    paidAt DATETIME(3) NOT NULL,
    UNIQUE KEY payments_gateway_id (companyId, gatewayId),
    KEY payments_by_invoice (companyId, invoiceId, id),
    CONSTRAINT payments_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
