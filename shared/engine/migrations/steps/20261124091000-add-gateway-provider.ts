import { inStatements } from './Migration';

/** Adds the payment provider of a company. Null for the installation's default. */
export default inStatements({
  up: ['ALTER TABLE companies ADD COLUMN gatewayProvider VARCHAR(32) CHARACTER SET ascii NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE companies DROP COLUMN gatewayProvider'],
});
