import { toSqlTime } from '../kernel/database/sql';
import type { Services } from '../kernel/services';
import { REPORTS_KEPT_MS } from '../emails';
import { UNFINISHED } from '../kernel/files/FileStore';
import { removeUnstoredReceipts } from '../receipts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows of one statement: keeps locks short and replicas current. */
const BATCH = 1_000;

/** How much one clean-up removed. */
export interface CleanedUp {
  jobs: number;
  idempotencyKeys: number;
  pdfs: number;
  /** Uploads that were not completed. */
  receipts: number;
  webhookDeliveries: number;
}

/**
 * Removes expired data: done jobs after `JOB_RETENTION_DAYS`, failed and uncertain jobs after ten times that long (so that
 * operators can inspect them), webhook deliveries that ended before `WEBHOOK_RETENTION_DAYS`, expired idempotency keys, the ids of
 * processed reports about e-mails, unused PDFs (they can be rendered again), and the remains of uploads and workers that a crash
 * interrupted.
 */
export async function cleanUp(services: Services): Promise<CleanedUp> {
  const { sql, files, clock, config } = services;
  const before = (days: number): Date => new Date(clock.now().getTime() - days * DAY_MS);
  const remove = async (statement: string, time: Date): Promise<number> => {
    let removed = 0;
    for (;;) {
      const { affectedRows } = await sql.run(`${statement} LIMIT ${BATCH}`, [toSqlTime(time)]);
      removed += affectedRows;
      if (affectedRows < BATCH) return removed;
    }
  };
  const done = await remove("DELETE FROM jobs WHERE endedAt < ? AND status = 'done'", before(config.jobRetentionDays));
  const failed = await remove('DELETE FROM jobs WHERE endedAt < ?', before(config.jobRetentionDays * 10));
  await remove('DELETE FROM workers WHERE heartbeatAt < ?', new Date(clock.now().getTime() - HOUR_MS));
  await remove('DELETE FROM email_reports WHERE createdAt < ?', new Date(clock.now().getTime() - REPORTS_KEPT_MS));
  await files.removeUnused(UNFINISHED, new Date(clock.now().getTime() - HOUR_MS));
  return {
    jobs: done + failed,
    idempotencyKeys: await remove('DELETE FROM idempotency_keys WHERE expiresAt < ?', clock.now()),
    pdfs: await files.removeUnused('pdf', before(config.pdfRetentionDays)),
    receipts: await removeUnstoredReceipts(services),
    webhookDeliveries: await remove(
      'DELETE FROM webhook_deliveries WHERE endedAt < ?',
      before(config.webhooks.retentionDays),
    ),
  };
}
