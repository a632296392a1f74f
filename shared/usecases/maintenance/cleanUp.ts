import { toSqlTime } from '../../database/sql';
import type { Services } from '../../services';
import { removeUnstoredReceipts } from '../receipts/removeUnstoredReceipts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows of one statement: short locks, and the replicas keep up. */
const BATCH = 1_000;

/** What one clean-up removed. */
export interface CleanedUp {
  jobs: number;
  idempotencyKeys: number;
  pdfs: number;
  /** Uploads that did not come to their end. */
  receipts: number;
}

/**
 * Removes what is kept for a time only: done jobs after `JOB_RETENTION_DAYS` (failed and uncertain ones stay until somebody
 * has looked: ten times as long), expired idempotency keys, PDFs that nobody asked for (they can be rendered again),
 * and what uploads that were cut off by a crash have left.
 */
export async function cleanUp(services: Services): Promise<CleanedUp> {
  const { sql, files, clock, config } = services;
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
  await files.removeUnused('tmp', new Date(clock.now().getTime() - HOUR_MS));
  return {
    jobs: done + failed,
    idempotencyKeys: await remove('DELETE FROM idempotency_keys WHERE expiresAt < ?', clock.now()),
    pdfs: await files.removeUnused('pdf', before(config.pdfRetentionDays)),
    receipts: await removeUnstoredReceipts(services),
  };
}
