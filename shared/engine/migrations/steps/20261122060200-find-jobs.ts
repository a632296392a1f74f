import { addColumns, addKeys, inTurn, updateInBatches } from './Migration';

/**
 * Adds what the operator's commands find jobs by: the code of the last error, and an order of the jobs of one status. The relay
 * finds what was left behind by queue, so that a paused queue costs it nothing. A worker of the version before does not write
 * `errorCode`, and relays by `jobs_to_relay`, which therefore stays.
 */
export default inTurn(
  addColumns('jobs', { errorCode: 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL' }),
  addKeys('jobs', {
    jobs_by_status: 'status, id',
    jobs_by_error: 'errorCode, id',
    jobs_to_relay_by_queue: 'queue, status, relayAt, id',
  }),
  updateInBatches(`UPDATE jobs SET errorCode = COALESCE(JSON_UNQUOTE(JSON_EXTRACT(lastError, '$.code')), 'job_failed')
    WHERE status IN ('failed', 'uncertain') AND errorCode IS NULL AND lastError IS NOT NULL`),
);
