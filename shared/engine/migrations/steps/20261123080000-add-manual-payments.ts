import { addColumns } from './Migration';

/**
 * Adds what payments made elsewhere have, and what was noticed about any payment when it was recorded. A process of the version
 * before records payments without these columns: their defaults say that nothing was noticed.
 */
export default addColumns('payments', {
  reference: 'VARCHAR(255) NULL',
  note: 'VARCHAR(1000) NULL',
  flags: "VARCHAR(150) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '[]'",
  refundedAmount: 'DECIMAL(15,2) NOT NULL DEFAULT 0',
  disputedAt: 'DATETIME(3) NULL',
  voidedAt: 'DATETIME(3) NULL',
});
