import { createCompanyTable } from './Migration';

/** The documents that correct invoices: never changed, never deleted. Reports sum the notes of days along an index of their own. */
export default createCompanyTable(
  'credit_notes',
  `
    invoiceId BIGINT UNSIGNED NOT NULL,
    creditNoteNumber VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    issueDate DATE NOT NULL,
    reason VARCHAR(500) NOT NULL,
    notes TEXT NOT NULL,
    subtotal DECIMAL(15,2) NOT NULL,
    tax DECIMAL(15,2) NOT NULL,
    total DECIMAL(15,2) NOT NULL,
    currency CHAR(3) NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    UNIQUE KEY credit_notes_number (companyId, creditNoteNumber),
    KEY credit_notes_by_invoice (companyId, invoiceId, id),
    KEY credit_notes_by_day (companyId, issueDate, id),
    KEY credit_notes_by_created (companyId, createdAt, id),
    CONSTRAINT credit_notes_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
