import { createRecordTable } from './Migration';

/**
 * Creates expenses. `dueAt` belongs to a series (`SeriesState`); an occurrence has `seriesId` and `occurrenceDate`, which
 * never change.
 */
export default createRecordTable(
  'expenses',
  `
    categoryId BIGINT UNSIGNED NOT NULL,
    vendorId BIGINT UNSIGNED NULL,
    vendor VARCHAR(255) NOT NULL,
    description TEXT NOT NULL,
    amount DECIMAL(15,2) NOT NULL,
    currency CHAR(3) NOT NULL,
    expenseDate DATE NOT NULL,
    receiptUrl VARCHAR(2048) NULL,
    status VARCHAR(16) NOT NULL,
    recurring VARCHAR(8) NOT NULL,
    nextDueDate DATE NULL,
    anchorDate DATE NULL,
    recurringSince DATE NULL,
    dueAt DATETIME(3) NULL,
    seriesId BIGINT UNSIGNED NULL,
    occurrenceDate DATE NULL,
    softDelete BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE KEY expenses_occurrence (companyId, seriesId, occurrenceDate),
    KEY expenses_by_date (companyId, softDelete, expenseDate, id),
    KEY expenses_by_status (companyId, softDelete, status, expenseDate, id),
    KEY expenses_by_category (companyId, categoryId, softDelete, expenseDate, id),
    KEY expenses_by_vendor (companyId, vendorId, softDelete, expenseDate, id),
    KEY expenses_due (dueAt, companyId, id),
    CONSTRAINT expenses_category FOREIGN KEY (companyId, categoryId) REFERENCES categories (companyId, id),
    CONSTRAINT expenses_series FOREIGN KEY (companyId, seriesId) REFERENCES expenses (companyId, id)
  `,
);
