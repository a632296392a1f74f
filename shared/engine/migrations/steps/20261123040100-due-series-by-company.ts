import { inStatements } from './Migration';

const tables = ['expenses', 'invoices'] as const;

/**
 * Lets the due series of one company be read in order, so that companies take turns at the scan. The index keeps its name, because the
 * version before names it in its statements.
 */
export default inStatements({
  up: tables.map(
    (table) => `ALTER TABLE ${table}
      DROP KEY ${table}_due, ADD KEY ${table}_due (companyId, dueAt, id), ALGORITHM=INPLACE, LOCK=NONE`,
  ),
  down: tables.map(
    (table) => `ALTER TABLE ${table} DROP KEY ${table}_due, ADD KEY ${table}_due (dueAt, companyId, id)`,
  ),
});
