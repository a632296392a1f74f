import { createTable } from './Migration';

/**
 * What callers keep with an invoice beside its fields: apart, so that the invoice's own statements stay as they are. `externalId` is
 * compared byte for byte; `servicePeriod` and `metadata` are JSON.
 */
export default createTable(
  'invoice_details',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    invoiceId BIGINT UNSIGNED NOT NULL,
    externalId VARBINARY(400) NULL,
    purchaseOrder VARCHAR(100) NULL,
    buyerReference VARCHAR(100) NULL,
    servicePeriod VARCHAR(60) CHARACTER SET ascii NULL,
    paymentTerms VARCHAR(500) NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (companyId, invoiceId),
    UNIQUE KEY invoice_details_external (companyId, externalId),
    CONSTRAINT invoice_details_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
