import type { SchemaChange } from './Migration';

/** Rows of one statement of the backfill: keeps locks short. */
const BATCH = 2_000;

const backfill = `UPDATE jobs SET errorCode = COALESCE(JSON_UNQUOTE(JSON_EXTRACT(lastError, '$.code')), 'job_failed')
  WHERE status IN ('failed', 'uncertain') AND errorCode IS NULL AND lastError IS NOT NULL LIMIT ${BATCH}`;

/**
 * Adds what the operator's commands find jobs by: the code of the last error, and an order of the jobs of one status. The relay
 * finds what was left behind by queue, so that a paused queue costs it nothing. A worker of the version before does not write
 * `errorCode`, and relays by `jobs_to_relay`, which therefore stays.
 *
 * `INSTANT` changes no row. The indexes are built while jobs are recorded (`LOCK=NONE`).
 */
const findJobs: SchemaChange = {
  up: async (sql) => {
    await sql.query(
      'ALTER TABLE jobs ADD COLUMN errorCode VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL, ALGORITHM=INSTANT',
    );
    await sql.query(`ALTER TABLE jobs
      ADD KEY jobs_by_status (status, id),
      ADD KEY jobs_by_error (errorCode, id),
      ADD KEY jobs_to_relay_by_queue (queue, status, relayAt, id),
      ALGORITHM=INPLACE, LOCK=NONE`);
    for (let changed = BATCH; changed === BATCH;) {
      const [, result] = (await sql.query(backfill)) as [unknown, { affectedRows: number } | undefined];
      changed = result?.affectedRows ?? 0;
    }
  },
  down: async (sql) => {
    await sql.query(`ALTER TABLE jobs
      DROP KEY jobs_by_status, DROP KEY jobs_by_error, DROP KEY jobs_to_relay_by_queue, DROP COLUMN errorCode`);
  },
};

export default findJobs;
