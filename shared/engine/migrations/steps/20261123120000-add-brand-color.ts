import { inStatements } from './Migration';

/** Adds the colour of a company's documents, `#rrggbb`. Null for ours. */
export default inStatements({
  up: ['ALTER TABLE companies ADD COLUMN brandColor CHAR(7) CHARACTER SET ascii NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE companies DROP COLUMN brandColor'],
});
