import type { Migration } from './Migration';

const tables = ['expenses', 'invoices'] as const;

/**
 * Lets the due series of one company be read in order, so that companies take turns at the scan. The index keeps its name, because the
 * version before names it in its statements.
 */
const dueSeriesByCompany: Migration = {
  name: '20261123040100-due-series-by-company',
  up: async (sql) => {
    for (const table of tables) {
      await sql.query(`ALTER TABLE ${table}
        DROP KEY ${table}_due, ADD KEY ${table}_due (companyId, dueAt, id), ALGORITHM=INPLACE, LOCK=NONE`);
    }
  },
  down: async (sql) => {
    for (const table of tables) {
      await sql.query(`ALTER TABLE ${table} DROP KEY ${table}_due, ADD KEY ${table}_due (dueAt, companyId, id)`);
    }
  },
};

export default dueSeriesByCompany;
