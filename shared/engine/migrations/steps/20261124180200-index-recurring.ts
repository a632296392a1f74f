import { inStatements } from './Migration';

/** Lets lists find the series of a company without its other records. */
export default inStatements({
  up: [
    `ALTER TABLE expenses
      ADD KEY expenses_by_recurring (companyId, softDelete, recurring, expenseDate, id), ALGORITHM=INPLACE, LOCK=NONE`,
    `ALTER TABLE invoices
      ADD KEY invoices_by_recurring (companyId, softDelete, recurring, createdAt, id), ALGORITHM=INPLACE, LOCK=NONE`,
  ],
  down: ['ALTER TABLE invoices DROP KEY invoices_by_recurring', 'ALTER TABLE expenses DROP KEY expenses_by_recurring'],
});
