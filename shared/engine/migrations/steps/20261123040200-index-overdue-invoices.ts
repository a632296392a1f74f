import type { Migration } from './Migration';

/** Lets a company's sent invoices that are past their due date be read without those that are not. */
const indexOverdueInvoices: Migration = {
  name: '20261123040200-index-overdue-invoices',
  up: async (sql) => {
    await sql.query(`ALTER TABLE invoices
      ADD KEY invoices_overdue (companyId, softDelete, status, dueDate, id), ALGORITHM=INPLACE, LOCK=NONE`);
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE invoices DROP KEY invoices_overdue');
  },
};

export default indexOverdueInvoices;
