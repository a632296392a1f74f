import { inStatements } from './Migration';

/** Adds the columns that make an invoice a series or an occurrence of one, as expenses have them. */
export default inStatements({
  up: [
    `ALTER TABLE invoices
      ADD COLUMN anchorDate DATE NULL AFTER nextDueDate,
      ADD COLUMN recurringSince DATE NULL AFTER anchorDate,
      ADD COLUMN dueAt DATETIME(3) NULL AFTER recurringSince,
      ADD COLUMN seriesId BIGINT UNSIGNED NULL AFTER dueAt,
      ADD COLUMN occurrenceDate DATE NULL AFTER seriesId,
      ADD UNIQUE KEY invoices_occurrence (companyId, seriesId, occurrenceDate),
      ADD KEY invoices_due (dueAt, companyId, id),
      ADD CONSTRAINT invoices_series FOREIGN KEY (companyId, seriesId) REFERENCES invoices (companyId, id)`,
    // Until now `recurring` and `nextDueDate` had no effect. Recurring invoices become series from today on. `dueAt` may be early: a scan then corrects it.
    'UPDATE invoices SET nextDueDate = NULL WHERE nextDueDate < issueDate',
    `UPDATE invoices SET
        anchorDate = COALESCE(nextDueDate, issueDate),
        recurringSince = UTC_DATE(),
        nextDueDate = COALESCE(nextDueDate, CASE recurring
          WHEN 'daily' THEN issueDate + INTERVAL 1 DAY
          WHEN 'weekly' THEN issueDate + INTERVAL 1 WEEK
          WHEN 'monthly' THEN issueDate + INTERVAL 1 MONTH
          ELSE issueDate + INTERVAL 1 YEAR END),
        dueAt = UTC_DATE()
      WHERE recurring <> 'none' AND softDelete = 0`,
  ],
  down: [
    `ALTER TABLE invoices
      DROP FOREIGN KEY invoices_series,
      DROP KEY invoices_due,
      DROP KEY invoices_occurrence,
      DROP COLUMN occurrenceDate,
      DROP COLUMN seriesId,
      DROP COLUMN dueAt,
      DROP COLUMN recurringSince,
      DROP COLUMN anchorDate`,
  ],
});
