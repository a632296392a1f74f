import type { Migration } from './Migration';

/**
 * Adds when an invoice was cancelled, so that reports of earlier days still show it as due. Null on those that were cancelled before, or by a
 * process of the version before: their last change counts.
 */
const addCancelledAt: Migration = {
  name: '20261124170000-add-cancelled-at',
  up: async (sql) => {
    await sql.query('ALTER TABLE invoices ADD COLUMN cancelledAt DATETIME(3) NULL, ALGORITHM=INSTANT');
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE invoices DROP COLUMN cancelledAt');
  },
};

export default addCancelledAt;
