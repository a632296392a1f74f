import { databaseRetry, queues } from '../../config/queues';
import { toDatabaseUnavailable, type UnitOfWork } from '../../shared/engine/db';
import { AppError, DeliveryUncertain, EmailUnavailable, GatewayUnavailable } from '../../shared/engine/errors';
import type { Logger } from '../../shared/engine/log';
import { backoff } from './backoff';
import type { ClaimedRun } from './ClaimedRun';
import { endJobs, makePending, type ClaimedJob, type NextRun } from './jobRow';
import { type CalledProvider, LeaseLost, Snooze, type JobHandler, type RunOutcome } from './JobRun';
import { InvalidPayload, readPayload } from './readPayload';

/** Records the effect of a run's error on its job: a deferral, a retry, or the job's end. */
export async function recordFailure(
  run: ClaimedRun,
  handler: JobHandler | undefined,
  error: unknown,
): Promise<RunOutcome> {
  if (error instanceof LeaseLost) return { done: true };
  const held = await heldByProvider(run, error);
  const next = held ?? nextRun(run, handler, error);
  if (next === null) return endFailed(run, handler, error);
  const isPending = await run.recorded(() => makePending(run.tools.services, run.job, next));
  if (!(error instanceof Snooze)) {
    const deferred =
      held === null
        ? 'a job is deferred: MySQL cannot do its part now'
        : 'a job is deferred: its provider asks for fewer requests';
    run.tools.services.log.warn({ err: error, until: next.at }, next.counts ? 'a job is retried' : deferred);
  }
  return isPending ? { nextRunAt: next.at } : { done: true };
}

/**
 * Stops the calls to a provider for its `Retry-After`. Such a refusal is no failed attempt: returns when the job runs next. Null for other
 * errors, and where the outcome of the call is unknown.
 */
async function heldByProvider({ tools }: ClaimedRun, error: unknown): Promise<NextRun | null> {
  const asked = retryAfterOf(error);
  if (asked === null) return null;
  const holdMs = await tools.rateLimits[asked.provider].hold(asked.ms);
  if (error instanceof DeliveryUncertain) return null;
  return { at: new Date(tools.services.clock.now().getTime() + holdMs), error, counts: false };
}

/** Returns which provider asks for how many milliseconds without calls, or null. */
function retryAfterOf(error: unknown): { provider: CalledProvider; ms: number } | null {
  if (error instanceof GatewayUnavailable) {
    const { provider, retryAfterMs: ms } = error;
    return provider === null || ms === null ? null : { provider, ms };
  }
  if (!(error instanceof DeliveryUncertain || error instanceof EmailUnavailable)) return null;
  return error.retryAfterMs === null ? null : { provider: 'email', ms: error.retryAfterMs };
}

/** Returns the next run after the error, or null for none. */
function nextRun({ tools, job }: ClaimedRun, handler: JobHandler | undefined, error: unknown): NextRun | null {
  if (error instanceof Snooze) return { at: error.until, error: error.cause ?? null, counts: false };
  const inMs = (ms: number): Date => new Date(tools.services.clock.now().getTime() + ms);
  const unavailable = toDatabaseUnavailable(error);
  if (unavailable !== null) {
    return { at: inMs(backoff(databaseRetry, job.attempt)), error: unavailable, counts: false };
  }
  const failures = failuresOf(job);
  const isRetryable = error instanceof AppError && error.retryable && failures < job.maxAttempt;
  if (handler === undefined || !isRetryable) return null;
  return { at: inMs(backoff(queues[handler.contract.queue].retries, failures)), error, counts: true };
}

/** Returns the failed attempts of a job, including the present run. */
export const failuresOf = ({ attempt, uncounted }: ClaimedJob): number => attempt - uncounted;

async function endFailed(run: ClaimedRun, handler: JobHandler | undefined, error: unknown): Promise<RunOutcome> {
  const { job } = run;
  const ending = await run.recorded(() =>
    run.transaction(async (uow) => {
      const known = await whatFailed(uow, job, handler, error);
      const status = known instanceof DeliveryUncertain ? 'uncertain' : 'failed';
      await endJobs(uow, [[job, { status, error: known }]]);
      return known;
    }),
  );
  logEnd(run.tools.services.log, ending);
  return { failed: ending instanceof Error ? ending : new Error(String(ending)) };
}

/**
 * A company can cause any number of jobs that fail since its data changed, or since a provider refuses what it asked for. Their lines have no
 * stack and no causes, and call an operator only for what a provider refuses.
 */
function logEnd(log: Logger, error: unknown): void {
  if (error instanceof DeliveryUncertain) return log.error({ err: error }, 'a job is uncertain: settle it');
  const isShort = error instanceof AppError && !error.retryable;
  const err = isShort ? { type: error.name, message: error.message, code: error.code } : error;
  log[isShort && error.status < 500 ? 'info' : 'error']({ err }, 'a job failed for good');
}

/** A payload that cannot be read has no subject. */
async function whatFailed(
  uow: UnitOfWork,
  job: ClaimedJob,
  handler: JobHandler | undefined,
  error: unknown,
): Promise<unknown> {
  if (handler?.failed === undefined || error instanceof InvalidPayload) return error;
  return handler.failed(uow, readPayload(handler.contract, job.payload), error);
}
