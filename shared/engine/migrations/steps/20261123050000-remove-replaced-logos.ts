import { inStatements } from './Migration';

/**
 * Adds whether a file is kept for good, and since when one that is not is unused. Every file that is there is kept, and so is what
 * processes of the version before store: they do not note which logo a sent invoice shows.
 *
 * `INSTANT` changes no row. The index is built while files are stored (`LOCK=NONE`).
 */
export default inStatements({
  up: [
    `ALTER TABLE stored_files
        ADD COLUMN isKept TINYINT(1) NOT NULL DEFAULT 1,
        ADD COLUMN unusedSince DATETIME(3) NULL,
        ALGORITHM=INSTANT`,
    'ALTER TABLE stored_files ADD KEY stored_files_unused (unusedSince), ALGORITHM=INPLACE, LOCK=NONE',
  ],
  down: ['ALTER TABLE stored_files DROP KEY stored_files_unused, DROP COLUMN isKept, DROP COLUMN unusedSince'],
});
