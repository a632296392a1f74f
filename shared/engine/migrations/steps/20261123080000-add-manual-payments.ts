import { inStatements } from './Migration';

/**
 * Adds what payments made elsewhere have, and what was noticed about any payment when it was recorded. `INSTANT` changes no row.
 * A process of the version before records payments without these columns: their defaults say that nothing was noticed.
 */
export default inStatements({
  up: [
    `ALTER TABLE payments
      ADD COLUMN reference VARCHAR(255) NULL,
      ADD COLUMN note VARCHAR(1000) NULL,
      ADD COLUMN flags VARCHAR(150) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '[]',
      ADD COLUMN refundedAmount DECIMAL(15,2) NOT NULL DEFAULT 0,
      ADD COLUMN disputedAt DATETIME(3) NULL,
      ADD COLUMN voidedAt DATETIME(3) NULL,
      ALGORITHM=INSTANT`,
  ],
  down: [
    `ALTER TABLE payments DROP COLUMN reference, DROP COLUMN note, DROP COLUMN flags,
      DROP COLUMN refundedAmount, DROP COLUMN disputedAt, DROP COLUMN voidedAt`,
  ],
});
