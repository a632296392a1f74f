import { inStatements } from './Migration';

/** Adds where a company's clients transfer money to, as its documents print it. Null for none. */
export default inStatements({
  up: ['ALTER TABLE companies ADD COLUMN paymentInstructions VARCHAR(1000) NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE companies DROP COLUMN paymentInstructions'],
});
