import type { Migration } from './Migration';

/** When a company's next day begins, at which its invoices are looked through for overdue ones; at first: at once. */
const addOverdueCheck: Migration = {
  name: '20261121100200-add-overdue-check',
  up: async (sql) => {
    await sql.query(`ALTER TABLE companies
      ADD COLUMN overdueCheckAt DATETIME(3) NOT NULL DEFAULT '2000-01-01 00:00:00.000' AFTER logoKey,
      ADD KEY companies_overdue_check (overdueCheckAt, id)`);
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE companies DROP KEY companies_overdue_check, DROP COLUMN overdueCheckAt');
  },
};

export default addOverdueCheck;
