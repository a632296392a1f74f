import { createRecordTable } from './Migration';

export default createRecordTable(
  'invoices',
  `
    clientId BIGINT UNSIGNED NOT NULL,
    invoiceNumber VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
    status VARCHAR(16) NOT NULL,
    issueDate DATE NOT NULL,
    dueDate DATE NOT NULL,
    subtotal DECIMAL(15,2) NOT NULL,
    tax DECIMAL(15,2) NOT NULL,
    taxRate DECIMAL(5,2) NOT NULL,
    total DECIMAL(15,2) NOT NULL,
    notes TEXT NOT NULL,
    currency CHAR(3) NOT NULL,
    gatewayInvoiceId VARCHAR(191) NULL,
    gatewayInvoiceUrl VARCHAR(2048) NULL,
    recurring VARCHAR(8) NOT NULL,
    nextDueDate DATE NULL,
    frozenParties TEXT NULL,
    sentAt DATETIME(3) NULL,
    paidAt DATETIME(3) NULL,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    KEY invoices_by_created (companyId, softDelete, createdAt, id, clientId, status, invoiceNumber),
    KEY invoices_by_status (companyId, softDelete, status, createdAt, id),
    KEY invoices_by_due_date (companyId, softDelete, dueDate, id),
    KEY invoices_by_issue_date (companyId, softDelete, issueDate, id),
    KEY invoices_by_client (companyId, clientId, softDelete, createdAt, id),
    CONSTRAINT invoices_client FOREIGN KEY (companyId, clientId) REFERENCES clients (companyId, id)
  `,
);
