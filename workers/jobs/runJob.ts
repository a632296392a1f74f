import { toDatabaseUnavailable } from '../../shared/engine/db';
import { AppError, DeliveryUncertain } from '../../shared/engine/errors';
import { metrics } from '../../shared/engine/metrics';
import type { Span } from '../../shared/engine/trace';
import { claimJob, claimJobs } from './jobRow';
import { ClaimedRun } from './ClaimedRun';
import { Snooze, snoozeFor, type JobHandlers, type RunOutcome, type Tools } from './JobRun';
import { readPayload } from './readPayload';
import { failuresOf, recordFailure } from './recordFailure';
import { withinJob } from './withinJob';

const UNKNOWN_JOB_MS = 30_000;

/**
 * Runs a job: claims the row, checks the payload, runs the handler, classifies the error, records the outcome. A second call for the same
 * row finds it claimed or ended.
 * @param companyId of the queue's entry: jobs of one company are claimed in rounds
 * @param charge of the run ({@link JobRun})
 * @throws {ServiceUnavailable} when MySQL is unreachable before the row is claimed: the queue's entry has to be retried.
 */
export async function runJob(
  tools: Tools,
  handlers: JobHandlers,
  jobId: number,
  shutdown: AbortSignal,
  companyId = 0,
  charge?: (ms: number) => void,
): Promise<RunOutcome> {
  const claimedAt = performance.now();
  const claim = await tools.rounds.join(claimJobs, companyId, jobId, {
    together: (ids) => claimJobs(tools.services, ids),
    alone: (id) => claimJob(tools.services, id),
  });
  if ('ended' in claim) return { done: true };
  if ('dueAt' in claim) return { nextRunAt: claim.dueAt };
  return withinJob(claim.job, (span) =>
    runClaimed(new ClaimedRun(tools, claim.job, shutdown, claimedAt, charge), handlers, span),
  );
}

async function runClaimed(run: ClaimedRun, handlers: JobHandlers, span: Span): Promise<RunOutcome> {
  const { job, tools } = run;
  const handler = handlers[job.name];
  const started = performance.now();
  let outcome: RunLabel = 'interrupted';
  try {
    if (handler === undefined) throw unknownJob(tools);
    const payload = readPayload(handler.contract, job.payload);
    if (failuresOf(job) > job.maxAttempt) throw jobCrashed();
    await handler.run(run.forHandler(payload));
    outcome = 'done';
    return { done: true };
  } catch (error) {
    if (!(error instanceof Snooze)) span.fail(error);
    const recorded = await recordFailure(run, handler, error);
    outcome = labelOf(recorded, error);
    return recorded;
  } finally {
    run.lease.release();
    metrics.jobDuration.observe((performance.now() - started) / 1000, job.name, outcome);
  }
}

/** How a run ended, for the metrics. `interrupted`: the process stopped before the outcome could be recorded. */
type RunLabel = 'done' | 'retried' | 'deferred' | 'failed' | 'uncertain' | 'superseded' | 'interrupted';

function labelOf(recorded: RunOutcome, error: unknown): RunLabel {
  if ('failed' in recorded) return recorded.failed instanceof DeliveryUncertain ? 'uncertain' : 'failed';
  if ('done' in recorded) return 'superseded';
  return error instanceof Snooze || toDatabaseUnavailable(error) !== null ? 'deferred' : 'retried';
}

/** During a rollout an old worker meets jobs that it does not know. It leaves them to the new workers. */
function unknownJob({ services }: Tools): Error {
  services.log.warn('this worker does not know the job and leaves it to a newer one');
  return snoozeFor(UNKNOWN_JOB_MS, services.clock);
}

const jobCrashed = (): AppError => new AppError('job_crashed', 'the job was interrupted too often', { status: 502 });
