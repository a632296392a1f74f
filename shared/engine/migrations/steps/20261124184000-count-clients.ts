import { inStatements } from './Migration';

/** Keeps how many clients a company has. */
export default inStatements({
  up: [
    `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total)
      SELECT companyId, 'client', softDelete, '', 0, COUNT(*) FROM clients GROUP BY companyId, softDelete`,
  ],
  down: ["DELETE FROM record_counts WHERE kind = 'client'"],
});
