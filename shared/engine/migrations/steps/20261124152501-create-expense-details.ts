import { createTable } from './Migration';

/** What callers keep with an expense beside its fields, like `invoice_details`. */
export default createTable(
  'expense_details',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    expenseId BIGINT UNSIGNED NOT NULL,
    externalId VARBINARY(400) NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (companyId, expenseId),
    UNIQUE KEY expense_details_external (companyId, externalId),
    CONSTRAINT expense_details_expense FOREIGN KEY (companyId, expenseId) REFERENCES expenses (companyId, id)
  `,
);
