import { removeDeletedCategories } from '../categories';
import { removeUnusedLogos } from '../companies';
import { removeOldEmails, REPORTS_KEPT_MS } from '../emails';
import { toSqlTime } from '../engine/db';
import { removeOldEvents } from '../engine/events';
import { UNFINISHED } from '../engine/files';
import { ENDED_KEPT_DAYS } from '../engine/records';
import { removeUsage } from '../engine/idempotency';
import { removeOldImports } from '../imports';
import type { Services } from '../services';
import { removeUnstoredReceipts } from '../receipts';
import { removeDeletedEndpoints } from '../webhooks';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows of one statement: keeps locks short and replicas current. */
const BATCH = 1_000;
/** The same for rows that hold responses of up to 1 MB: nothing else commits while a statement is written to the binary log (0.1 s). */
const LARGE_BATCH = 20;
/** The longest time that one step takes; the next clean-up goes on. */
const STEP_MS = 60_000;

/** Removes one kind of expired data until the deadline (of `performance.now()`). Returns how many. */
type Step = (services: Services, deadline: number) => Promise<number>;

/** Rows of one statement at a time, each along an index. */
const rows =
  (statement: string, before: (services: Services) => Date, batch = BATCH): Step =>
  async (services, deadline) => {
    const time = toSqlTime(before(services));
    for (let removed = 0; ;) {
      const { affectedRows } = await services.sql.run(`${statement} LIMIT ${batch}`, [time]);
      removed += affectedRows;
      if (affectedRows < batch || performance.now() >= deadline) return removed;
    }
  };

const ago = ({ clock }: Services, ms: number): Date => new Date(clock.now().getTime() - ms);
const failedJobs = (status: string): Step =>
  rows(`DELETE FROM jobs WHERE status = '${status}' AND endedAt < ?`, (services) =>
    ago(services, services.config.jobRetentionDays * 10 * DAY_MS),
  );

/** API keys that were revoked, or have expired. */
const endedKeys = (column: string): Step =>
  rows(`DELETE FROM api_keys WHERE ${column} < ?`, (services) => ago(services, ENDED_KEPT_DAYS * DAY_MS));

const steps = {
  /** Done after `JOB_RETENTION_DAYS`; failed and uncertain after ten times that long, so that operators can inspect them. */
  jobs: inTurn(
    rows("DELETE FROM jobs WHERE status = 'done' AND endedAt < ?", (services) =>
      ago(services, services.config.jobRetentionDays * DAY_MS),
    ),
    failedJobs('failed'),
    failedJobs('uncertain'),
  ),
  workers: rows('DELETE FROM workers WHERE heartbeatAt < ?', (services) => ago(services, HOUR_MS)),
  /** The ids of the mail provider's reports that were processed. */
  emailReports: rows('DELETE FROM email_reports WHERE createdAt < ?', (services) => ago(services, REPORTS_KEPT_MS)),
  idempotencyKeys: rows('DELETE FROM idempotency_keys WHERE expiresAt < ?', ({ clock }) => clock.now(), LARGE_BATCH),
  idempotencyUsage: removeUsage,
  webhookDeliveries: rows('DELETE FROM webhook_deliveries WHERE endedAt < ?', (services) =>
    ago(services, services.config.webhooks.retentionDays * DAY_MS),
  ),
  webhookEndpoints: removeDeletedEndpoints,
  apiKeys: inTurn(endedKeys('revokedAt'), endedKeys('expiresAt')),
  categories: removeDeletedCategories,
  events: removeOldEvents,
  emails: removeOldEmails,
  /** Uploads that a crash interrupted. */
  unfinishedFiles: ((services) => services.files.removeUnused(UNFINISHED, ago(services, HOUR_MS))) as Step,
  /** Uploads that were not completed. */
  receipts: removeUnstoredReceipts,
  imports: removeOldImports,
  logos: removeUnusedLogos,
  /** PDFs that were not downloaded for `PDF_RETENTION_DAYS`, and beyond `PDF_CACHE_MB` of a company. They can be rendered again. */
  pdfs: ((services) => {
    const { pdfRetentionDays, stored } = services.config;
    return services.files.removeUnused('pdf', ago(services, pdfRetentionDays * DAY_MS), stored.pdfBytes);
  }) as Step,
} satisfies Record<string, Step>;

/** The number of removed rows or files by kind. */
export type CleanedUp = Record<keyof typeof steps, number>;

/**
 * Removes expired and ended data, kind by kind. A failing step is logged, and the others still run.
 * @throws the first failure, after all steps.
 */
export async function cleanUp(services: Services): Promise<CleanedUp> {
  const removed: Partial<CleanedUp> = {};
  const failures: unknown[] = [];
  for (const [name, step] of Object.entries(steps)) {
    try {
      removed[name as keyof CleanedUp] = await step(services, performance.now() + STEP_MS);
    } catch (error) {
      services.log.warn({ err: error, step: name }, 'a step of the clean-up failed; the next clean-up repeats it');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return removed as CleanedUp;
}

/** One step after the other. */
function inTurn(...parts: readonly Step[]): Step {
  return async (services, deadline) => {
    let removed = 0;
    for (const part of parts) removed += await part(services, deadline);
    return removed;
  };
}
