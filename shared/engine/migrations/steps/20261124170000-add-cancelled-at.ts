import { inStatements } from './Migration';

/**
 * Adds when an invoice was cancelled, so that reports of earlier days still show it as due. Null on those that were cancelled before, or by a
 * process of the version before: their last change counts.
 */
export default inStatements({
  up: ['ALTER TABLE invoices ADD COLUMN cancelledAt DATETIME(3) NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE invoices DROP COLUMN cancelledAt'],
});
