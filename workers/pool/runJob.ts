import { AppError } from '../../shared/kernel/errors';
import { withLogFields } from '../../shared/kernel/log';
import { traced, type Span } from '../../shared/kernel/trace';
import { claimJob, type ClaimedJob } from './jobRow';
import { ClaimedRun } from './ClaimedRun';
import { Snooze, snoozeFor, type JobHandlers, type RunOutcome, type Tools } from './JobRun';
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
  return inItsContext(claim.job, (span) => runClaimed(new ClaimedRun(tools, claim.job, shutdown), handlers, span));
}

/** Runs `work` as a span of the trace that recorded the job. Every line in its log names the job and the request. */
function inItsContext<T>(job: ClaimedJob, work: (span: Span) => Promise<T>): Promise<T> {
  const { id, name, companyId, attempt, requestId, traceparent } = job;
  const fields = { jobId: id, job: name, companyId, attempt, ...(requestId !== null && { requestId }) };
  const attributes = { 'invoicing.job.id': id, 'invoicing.job.attempt': attempt, 'invoicing.company.id': companyId };
  return withLogFields(fields, () =>
    traced(`run ${name}`, { kind: 'consumer', parent: traceparent, attributes }, work),
  );
}

async function runClaimed(run: ClaimedRun, handlers: JobHandlers, span: Span): Promise<RunOutcome> {
  const { job, tools } = run;
  const handler = handlers[job.name];
  try {
    if (handler === undefined) throw unknownJob(tools);
    const payload = readPayload(handler.contract, job.payload);
    if (failuresOf(job) > job.maxAttempt) throw jobCrashed();
    await handler.run(run.forHandler(payload));
    return { done: true };
  } catch (error) {
    if (!(error instanceof Snooze)) span.fail(error);
    return await recordFailure(run, handler, error);
  } finally {
    run.lease.release();
  }
}

/** While a new version is rolled out an old worker meets jobs that it does not know: it leaves them to the others. */
function unknownJob({ services }: Tools): Error {
  services.log.warn('this worker does not know the job and leaves it to a newer one');
  return snoozeFor(UNKNOWN_JOB_MS, services.clock);
}

const jobCrashed = (): AppError => new AppError('job_crashed', 'the job was interrupted too often', { status: 502 });
