import { inStatements } from './Migration';

/** Adds up to which day a sandbox company has asked for what its calendar does; null for every other company. */
export default inStatements({
  up: ['ALTER TABLE companies ADD COLUMN sandboxDay DATE NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE companies DROP COLUMN sandboxDay'],
});
