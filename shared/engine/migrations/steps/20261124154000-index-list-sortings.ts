import { addKeys, inTurn } from './Migration';

/**
 * Finds the page of a list that follows a cursor, for the sortings that had no index. `updatedAt` is for programs that read what changed;
 * it costs each change of a record an entry.
 */
export default inTurn(
  addKeys('invoices', { invoices_by_updated: 'companyId, softDelete, updatedAt, id' }),
  addKeys('expenses', { expenses_by_created: 'companyId, softDelete, createdAt, id' }),
  addKeys('expenses', { expenses_by_updated: 'companyId, softDelete, updatedAt, id' }),
  addKeys('clients', { clients_by_updated: 'companyId, softDelete, updatedAt, id' }),
  addKeys('categories', { categories_by_updated: 'companyId, softDelete, updatedAt, id' }),
);
