import { jobContracts } from '../shared/jobContracts';
import { countFailed, retryBatch, type FailedCount, type FailedJobs } from '../shared/kernel/jobs/retryJobs';
import { Progress } from './Progress';
import type { Transactions } from './withDatabase';

/** What was done, or would be. */
export interface RetryReport {
  dryRun: boolean;
  /** Jobs that are pending again; in a dry run those that would be tried. */
  retried: number;
  /** Jobs that stayed failed: another one that does the same is in flight, or this version does not know them. */
  skipped: number;
  /** True when the command was stopped before the end. Running it again goes on. */
  interrupted: boolean;
  /** In a dry run: what was found, by queue and code. */
  found?: FailedCount[];
}

/**
 * Retries all failed jobs that the filter means, in short transactions. Ctrl-C stops after the one in progress. Jobs that fail
 * while the command runs are not retried again.
 */
export async function retryMany(
  { ofInstallation }: Transactions,
  given: FailedJobs,
  { dryRun }: { dryRun: boolean },
): Promise<RetryReport> {
  const { filter, found } = await ofInstallation(async ({ sql, now }) => {
    const all = { ...given, until: given.until ?? now };
    return { filter: all, found: await countFailed(sql, all) };
  });
  const total = found.reduce((sum, { jobs }) => sum + jobs, 0);
  const report = { dryRun, retried: 0, skipped: 0, interrupted: false };
  if (dryRun) return { ...report, retried: total, found };
  const interrupt = (): void => {
    report.interrupted = true;
  };
  // A second signal ends the process at once; its transaction rolls back.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = new Progress('retried', total);
  for (let after: number | null = 0; after !== null && !report.interrupted;) {
    const from: number = after;
    const batch = await ofInstallation((work) => retryBatch(work, jobContracts, filter, from));
    report.retried += batch.retried;
    report.skipped += batch.skipped;
    progress.show(report.retried + report.skipped);
    after = batch.next;
    if (after === null) report.interrupted = false;
  }
  progress.end();
  return report;
}
