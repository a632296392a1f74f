import { isSoon } from '../../shared/engine/jobs';
import type { JobHandlers, Tools } from './JobRun';
import { withLogFields } from '../../shared/engine/log';
import { LeaseLost } from './JobRun';
import { runJob } from './runJob';
import type { EntryOutcome, QueueEntry } from './ServedQueue';

/** MySQL is unreachable, or the outcome could not be recorded: the entry is processed again after this long. */
const DATABASE_UNREACHABLE_MS = 2_000;

/** Processes entries of recorded jobs: each names a row, which decides whether and when the job is run. */
export function processJob(tools: Tools, handlers: JobHandlers): (entry: QueueEntry) => Promise<EntryOutcome> {
  const { log, clock, databaseClock, sql } = tools.services;
  const process = async (jobId: number, { stopping, companyId, loop }: QueueEntry): Promise<EntryOutcome> => {
    const charge = (ms: number): void => void (companyId !== undefined && loop.charge(companyId, ms));
    try {
      await databaseClock.ensureCompared(sql);
      const outcome = await runJob(tools, handlers, jobId, stopping, companyId, charge);
      if ('nextRunAt' in outcome) return untilNextRun(outcome.nextRunAt, clock.now());
      return 'failed' in outcome ? outcome : { done: null };
    } catch (error) {
      if (error instanceof LeaseLost) return { done: null };
      log.warn({ err: error }, 'a job could not be run or recorded; it is retried');
      return { delayMs: DATABASE_UNREACHABLE_MS };
    }
  };
  return (entry) => {
    const { jobId, requestId } = entry.data as { jobId: number; requestId?: string | null };
    return withLogFields({ jobId, ...(requestId && { requestId }) }, () => process(jobId, entry));
  };
}

/** An entry whose job runs later than soon is done with: the outbox queues the job again when it is due. */
const untilNextRun = (at: Date, now: Date): EntryOutcome =>
  isSoon(at, now) ? { delayMs: at.getTime() - now.getTime() } : { done: null };
