import { addColumns } from './Migration';

/**
 * Adds when an invoice was cancelled, so that reports of earlier days still show it as due. Null on those that were cancelled before, or by a
 * process of the version before: their last change counts.
 */
export default addColumns('invoices', { cancelledAt: 'DATETIME(3) NULL' });
