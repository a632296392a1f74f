import { toSqlTime } from '../../database/sql';
import type { Services } from '../../services';

const DAY_MS = 86_400_000;
/** Rows of one statement: short locks, and the replicas keep up. */
const BATCH = 1_000;

/** What one clean-up removed. */
export interface CleanedUp {
  jobs: number;
  idempotencyKeys: number;
  pdfs: number;
}

/**
 * Removes what is kept for a time only: done jobs after `JOB_RETENTION_DAYS` (failed and uncertain ones stay until somebody
 * has looked: ten times as long), expired idempotency keys, PDFs that nobody asked for (they can be rendered again).
 */
export async function cleanUp({ sql, files, clock, config }: Services): Promise<CleanedUp> {
  const before = (days: number): Date => new Date(clock.now().getTime() - days * DAY_MS);
  const remove = async (statement: string, moment: Date): Promise<number> => {
    let removed = 0;
    for (;;) {
      const { affectedRows } = await sql.run(`${statement} LIMIT ${BATCH}`, [toSqlTime(moment)]);
      removed += affectedRows;
      if (affectedRows < BATCH) return removed;
    }
  };
  const done = await remove("DELETE FROM jobs WHERE endedAt < ? AND status = 'done'", before(config.jobRetentionDays));
  const failed = await remove('DELETE FROM jobs WHERE endedAt < ?', before(config.jobRetentionDays * 10));
  return {
    jobs: done + failed,
    idempotencyKeys: await remove('DELETE FROM idempotency_keys WHERE expiresAt < ?', clock.now()),
    pdfs: await files.removeUnused('pdf', before(config.pdfRetentionDays)),
  };
}
