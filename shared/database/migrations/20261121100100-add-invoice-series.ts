import type { Migration } from './Migration';

/** What makes an invoice a series, or an occurrence of one; the same columns as those of expenses. */
const addInvoiceSeries: Migration = {
  name: '20261121100100-add-invoice-series',
  up: async (sql) => {
    await sql.query(`ALTER TABLE invoices
      ADD COLUMN anchorDate DATE NULL AFTER nextDueDate,
      ADD COLUMN recurringSince DATE NULL AFTER anchorDate,
      ADD COLUMN dueAt DATETIME(3) NULL AFTER recurringSince,
      ADD COLUMN seriesId BIGINT UNSIGNED NULL AFTER dueAt,
      ADD COLUMN occurrenceDate DATE NULL AFTER seriesId,
      ADD UNIQUE KEY invoices_occurrence (companyId, seriesId, occurrenceDate),
      ADD KEY invoices_due (dueAt, companyId, id),
      ADD CONSTRAINT invoices_series FOREIGN KEY (companyId, seriesId) REFERENCES invoices (companyId, id)`);
  },
  down: async (sql) => {
    await sql.query(`ALTER TABLE invoices
      DROP FOREIGN KEY invoices_series,
      DROP KEY invoices_due,
      DROP KEY invoices_occurrence,
      DROP COLUMN occurrenceDate,
      DROP COLUMN seriesId,
      DROP COLUMN dueAt,
      DROP COLUMN recurringSince,
      DROP COLUMN anchorDate`);
  },
};

export default addInvoiceSeries;
