import { inStatements } from './Migration';

/**
 * Finds the page of a list that follows a cursor, for the sortings that had no index. `updatedAt` is for programs that read what changed;
 * it costs each change of a record an entry.
 */
const keys: readonly (readonly [table: string, key: string, column: string])[] = [
  ['invoices', 'invoices_by_updated', 'updatedAt'],
  ['expenses', 'expenses_by_created', 'createdAt'],
  ['expenses', 'expenses_by_updated', 'updatedAt'],
  ['clients', 'clients_by_updated', 'updatedAt'],
  ['categories', 'categories_by_updated', 'updatedAt'],
];

export default inStatements({
  up: keys.map(
    ([table, key, column]) =>
      `ALTER TABLE ${table} ADD KEY ${key} (companyId, softDelete, ${column}, id), ALGORITHM=INPLACE, LOCK=NONE`,
  ),
  down: keys.toReversed().map(([table, key]) => `ALTER TABLE ${table} DROP KEY ${key}`),
});
