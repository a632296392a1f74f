import { inStatements } from './Migration';

/**
 * Adds what the log and the traces say of a job's origin: the id of the request that recorded it, and the `traceparent` (W3C Trace
 * Context) under which its runs continue the trace. Null for old rows, for those of old processes, and for jobs without a request.
 *
 * `INSTANT` changes no row: MySQL 8.0.12 and MariaDB 10.3 can add last columns in this way, or refuse.
 */
export default inStatements({
  up: [
    `ALTER TABLE jobs
        ADD COLUMN requestId VARCHAR(128) CHARACTER SET ascii NULL,
        ADD COLUMN traceparent VARCHAR(64) CHARACTER SET ascii NULL,
        ALGORITHM=INSTANT`,
  ],
  down: ['ALTER TABLE jobs DROP COLUMN requestId, DROP COLUMN traceparent'],
});
