import { inStatements } from './Migration';

/** Lets a company's sent invoices that are past their due date be read without those that are not. */
export default inStatements({
  up: [
    `ALTER TABLE invoices
      ADD KEY invoices_overdue (companyId, softDelete, status, dueDate, id), ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: ['ALTER TABLE invoices DROP KEY invoices_overdue'],
});
