import { inStatements } from './Migration';

/**
 * Adds when a company's invoices are next checked for overdue ones: when its next day begins. Existing companies are due
 * immediately.
 */
export default inStatements({
  up: [
    `ALTER TABLE companies
      ADD COLUMN overdueCheckAt DATETIME(3) NOT NULL DEFAULT '2000-01-01 00:00:00.000' AFTER logoKey,
      ADD KEY companies_overdue_check (overdueCheckAt, id)`,
  ],
  down: ['ALTER TABLE companies DROP KEY companies_overdue_check, DROP COLUMN overdueCheckAt'],
});
