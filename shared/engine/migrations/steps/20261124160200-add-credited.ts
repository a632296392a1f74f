import { addColumns } from './Migration';

/**
 * Adds what the credit notes of an invoice sum up to, which every look at its balance needs: the notes are never changed, so the sum is
 * written once, with each of them.
 */
export default addColumns('invoices', { credited: 'DECIMAL(15,2) NOT NULL DEFAULT 0.00' });
