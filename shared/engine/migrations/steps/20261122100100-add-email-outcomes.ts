import { inStatements } from './Migration';

/**
 * Adds what became of an e-mail: its job, why it failed, and what the mail provider reports. `kind` is what the e-mail is about.
 * Null for old rows and for those of old processes, which write none of these columns.
 *
 * `INSTANT` changes no row: MySQL 8.0.12 and MariaDB 10.3 can add last columns in this way, or refuse.
 */
export default inStatements({
  up: [
    `ALTER TABLE emails
        ADD COLUMN kind VARCHAR(16) CHARACTER SET ascii NOT NULL DEFAULT 'invoice',
        ADD COLUMN jobId BIGINT UNSIGNED NULL,
        ADD COLUMN errorCode VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        ADD COLUMN errorMessage VARCHAR(1000) NULL,
        ADD COLUMN deliveredAt DATETIME(3) NULL,
        ADD COLUMN openedAt DATETIME(3) NULL,
        ADD COLUMN bouncedAt DATETIME(3) NULL,
        ALGORITHM=INSTANT`,
  ],
  down: [
    `ALTER TABLE emails DROP COLUMN kind, DROP COLUMN jobId, DROP COLUMN errorCode, DROP COLUMN errorMessage,
        DROP COLUMN deliveredAt, DROP COLUMN openedAt, DROP COLUMN bouncedAt`,
  ],
});
