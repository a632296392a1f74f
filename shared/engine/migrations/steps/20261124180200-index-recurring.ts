import { addKeys, inTurn } from './Migration';

/** Lets lists find the series of a company without its other records. */
export default inTurn(
  addKeys('expenses', { expenses_by_recurring: 'companyId, softDelete, recurring, expenseDate, id' }),
  addKeys('invoices', { invoices_by_recurring: 'companyId, softDelete, recurring, createdAt, id' }),
);
