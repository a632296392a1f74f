import type { Migration } from './Migration';

/** Adds the colour of a company's documents, `#rrggbb`. Null for ours. */
const addBrandColor: Migration = {
  name: '20261123120000-add-brand-color',
  up: async (sql) => {
    await sql.query('ALTER TABLE companies ADD COLUMN brandColor CHAR(7) CHARACTER SET ascii NULL, ALGORITHM=INSTANT');
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE companies DROP COLUMN brandColor');
  },
};

export default addBrandColor;
