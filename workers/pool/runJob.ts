import { AppError } from '../../shared/kernel/errors';
import { claimJob, type ClaimedJob } from './jobRow';
import { ClaimedRun } from './ClaimedRun';
import { snoozeFor, type JobHandlers, type RunOutcome, type Tools } from './JobRun';
import { readPayload } from './readPayload';
import { failuresOf, recordFailure } from './recordFailure';

const UNKNOWN_JOB_MS = 30_000;

/**
 * The one wrapper around every job: claims the row, checks the payload, runs the handler, records the outcome, classifies the
 * error. Called twice for one row, the second call finds it claimed or ended.
 * @throws {ServiceUnavailable} when MySQL is unreachable before the row is claimed: the queue's entry has to be retried.
 */
export async function runJob(
  tools: Tools,
  handlers: JobHandlers,
  jobId: number,
  shutdown: AbortSignal,
): Promise<RunOutcome> {
  const claim = await claimJob(tools.services, jobId);
  if ('ended' in claim) return { done: true };
  if ('dueAt' in claim) return { nextRunAt: claim.dueAt };
  const { job } = claim;
  const handler = handlers[job.name];
  const run = new ClaimedRun(tools, job, shutdown);
  try {
    if (handler === undefined) throw unknownJob(tools, job);
    const payload = readPayload(handler.contract, job.payload);
    if (failuresOf(job) > job.maxAttempt) throw jobCrashed();
    await handler.run(run.forHandler(payload));
    return { done: true };
  } catch (error) {
    return await recordFailure(run, handler, error);
  } finally {
    run.lease.release();
  }
}

/** While a new version is rolled out an old worker meets jobs that it does not know: it leaves them to the others. */
function unknownJob({ services }: Tools, { id, name }: ClaimedJob): Error {
  services.log.warn({ jobId: id, job: name }, 'this worker does not know the job and leaves it to a newer one');
  return snoozeFor(UNKNOWN_JOB_MS, services.clock);
}

const jobCrashed = (): AppError => new AppError('job_crashed', 'the job was interrupted too often', { status: 502 });
