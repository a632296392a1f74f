import type { Migration } from './Migration';

/** Lets reports read the payments of some days, and the invoices that were paid since a day, without all others. */
const indexReportedTimes: Migration = {
  name: '20261124170100-index-reported-times',
  up: async (sql) => {
    await sql.query(`ALTER TABLE payments
      ADD KEY payments_by_time (companyId, paidAt, id), ALGORITHM=INPLACE, LOCK=NONE`);
    await sql.query(
      'ALTER TABLE invoices ADD KEY invoices_by_paid (companyId, paidAt, id), ALGORITHM=INPLACE, LOCK=NONE',
    );
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE invoices DROP KEY invoices_by_paid');
    await sql.query('ALTER TABLE payments DROP KEY payments_by_time');
  },
};

export default indexReportedTimes;
