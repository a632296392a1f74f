import { addKeys } from './Migration';

/** Lets a company's sent invoices that are past their due date be read without those that are not. */
export default addKeys('invoices', { invoices_overdue: 'companyId, softDelete, status, dueDate, id' });
