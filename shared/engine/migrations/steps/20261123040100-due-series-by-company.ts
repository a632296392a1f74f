import { inTurn, replaceKey } from './Migration';

/**
 * Lets the due series of one company be read in order, so that companies take turns at the scan. The index keeps its name, because the
 * version before names it in its statements.
 */
export default inTurn(
  replaceKey('expenses', ['expenses_due', 'dueAt, companyId, id'], ['expenses_due', 'companyId, dueAt, id']),
  replaceKey('invoices', ['invoices_due', 'dueAt, companyId, id'], ['invoices_due', 'companyId, dueAt, id']),
);
