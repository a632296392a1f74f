import { addColumns, addKeys, inTurn } from './Migration';

/**
 * Adds whether a file is kept for good, and since when one that is not is unused. Every file that is there is kept, and so is what
 * processes of the version before store: they do not note which logo a sent invoice shows.
 */
export default inTurn(
  addColumns('stored_files', { isKept: 'TINYINT(1) NOT NULL DEFAULT 1', unusedSince: 'DATETIME(3) NULL' }),
  addKeys('stored_files', { stored_files_unused: 'unusedSince' }),
);
