import { inStatements } from './Migration';

/**
 * Adds the number that gives an event its place in the feed, and the id of the request from which it follows. Null: not
 * numbered yet, which is also what processes of the version before write.
 *
 * `INSTANT` changes no row: MySQL 8.0.12 and MariaDB 10.3 can add last columns in this way, or refuse.
 */
export default inStatements({
  up: [
    `ALTER TABLE events
        ADD COLUMN seq BIGINT UNSIGNED NULL,
        ADD COLUMN requestId VARCHAR(128) CHARACTER SET ascii NULL,
        ALGORITHM=INSTANT`,
  ],
  down: ['ALTER TABLE events DROP COLUMN seq, DROP COLUMN requestId'],
});
