import { addColumns, inStatements, inTurn } from './Migration';

/**
 * Counts the runs of a job that are no failed attempts: deferrals, and all runs before the last retry by an operator. A job has
 * failed `attempt - uncounted` times and may fail `maxAttempt` times.
 *
 * Both columns keep their meaning for old rows, and for workers of the version before, which know no `uncounted` and raise
 * `maxAttempt` with each deferral: the number of attempts that are left is the same in both versions. Such a deferral only
 * makes the delay before the next retry longer. The other way round, an old worker counts a deferral by a new one as a failed
 * attempt, and the runs before an operator's retry as well: so retry failed jobs once all workers are new.
 */
export default inTurn(
  addColumns('jobs', { uncounted: 'INT UNSIGNED NOT NULL DEFAULT 0' }),
  // Workers of the version before go by `maxAttempt` alone.
  inStatements({ up: [], down: ['UPDATE jobs SET maxAttempt = maxAttempt + uncounted WHERE uncounted > 0'] }),
);
