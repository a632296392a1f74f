import { jobContracts } from '../shared/jobContracts';
import { countToRetry, retryBatch, type RetryCount, type RetryFilter, type RetryPosition } from '../shared/engine/jobs';
import { Progress } from './Progress';
import { untilDone } from './untilDone';
import type { CommandTransactions } from './withDatabase';

/** The jobs that would be retried. */
export interface RetryDryRun {
  dryRun: true;
  wouldRetry: number;
  /** The jobs by queue and code. */
  found: RetryCount[];
}

/** The outcome of a retry. */
export interface RetryReport {
  dryRun: false;
  /** Jobs that are pending again, or due now. */
  retried: number;
  /** Jobs left unchanged: another job with the same key is in flight, this version does not know the job, or it has started. */
  skipped: number;
  /** True when the command was stopped before the end. Running it again goes on. */
  interrupted: boolean;
}

/** Counts what {@link retryMany} would retry. */
export async function retryDryRun({ ofInstallation }: CommandTransactions, filter: RetryFilter): Promise<RetryDryRun> {
  const found = await ofInstallation((work) => countToRetry(work, filter));
  return { dryRun: true, wouldRetry: totalOf(found), found };
}

/**
 * Retries all jobs of the filter, in short transactions. Ctrl-C stops after the one in progress. Jobs that fail while the command runs are
 * not retried again.
 */
export async function retryMany({ ofInstallation }: CommandTransactions, given: RetryFilter): Promise<RetryReport> {
  const { filter, total } = await ofInstallation(async (work) => {
    const all = { ...given, until: given.until ?? work.now };
    return { filter: all, total: totalOf(await countToRetry(work, all)) };
  });
  const counts = { retried: 0, skipped: 0 };
  const progress = new Progress('retried', total);
  const { interrupted } = await untilDone<RetryPosition | null>(null, async (from) => {
    const { retried, skipped, next } = await ofInstallation((work) => retryBatch(work, jobContracts, filter, from));
    counts.retried += retried;
    counts.skipped += skipped;
    progress.show(counts.retried + counts.skipped);
    return next;
  });
  progress.end();
  return { dryRun: false, ...counts, interrupted };
}

const totalOf = (found: readonly RetryCount[]): number => found.reduce((sum, { jobs }) => sum + jobs, 0);
