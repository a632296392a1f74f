import type { Migration } from './Migration';

/** Lets lists find the series of a company without its other records. */
const indexRecurring: Migration = {
  name: '20261124180200-index-recurring',
  up: async (sql) => {
    await sql.query(`ALTER TABLE expenses
      ADD KEY expenses_by_recurring (companyId, softDelete, recurring, expenseDate, id), ALGORITHM=INPLACE, LOCK=NONE`);
    await sql.query(`ALTER TABLE invoices
      ADD KEY invoices_by_recurring (companyId, softDelete, recurring, createdAt, id), ALGORITHM=INPLACE, LOCK=NONE`);
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE invoices DROP KEY invoices_by_recurring');
    await sql.query('ALTER TABLE expenses DROP KEY expenses_by_recurring');
  },
};

export default indexRecurring;
