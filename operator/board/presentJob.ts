import type { QueueJobJson } from '@bull-board/api/typings/app';
import { type AnyJobContract, errorForOperators, type StoredJob } from '../../shared/engine/jobs';

/** Returns a job in bull-board's format, with ids, times, attempts and the last error only. */
export function presentJob(job: StoredJob, contract: AnyJobContract | undefined): QueueJobJson {
  const { id, name, companyId, status, attempt, uncounted, maxAttempt, availableAt, createdAt, endedAt } = job;
  const error = errorForOperators(job.lastError);
  const isPending = status === 'pending';
  // bull-board adds it to the time at which the job was recorded, and shows the sum as the next run.
  const failure = error && `${error.code}: ${error.message}${error.detail === undefined ? '' : ` (${error.detail})`}`;
  const delay = isPending ? Math.max(0, availableAt.getTime() - createdAt.getTime()) : 0;
  return {
    id,
    name,
    timestamp: createdAt.getTime(),
    processedOn: isPending ? null : (job.startedAt?.getTime() ?? null),
    finishedOn: endedAt?.getTime() ?? null,
    delay,
    attemptsMade: attempt - uncounted,
    attemptsStarted: attempt,
    progress: 0,
    // The fields on the first page of a job. In a narrow window bull-board shows its own times and the error on other pages.
    data: {
      ...(failure !== null && { error: failure }),
      times: {
        recorded: createdAt.toISOString(),
        started: job.startedAt?.toISOString() ?? null,
        ended: endedAt?.toISOString() ?? null,
        nextRun: isPending ? availableAt.toISOString() : null,
      },
      company: companyId,
      payload: idsOf(job.payload, contract),
      attempts: { counted: attempt - uncounted, notCounted: uncounted, allowed: maxAttempt },
    },
    opts: { delay },
    failedReason: failure === null ? '' : `${status === 'uncertain' ? 'uncertain: ' : ''}${failure}`,
    stacktrace: null,
    returnvalue: null,
  };
}

/** Returns the fields of a payload that are ids by its contract; of others, and of a payload of an unknown job, only the names. */
function idsOf(payload: string, contract: AnyJobContract | undefined): Record<string, unknown> {
  const { properties = {} } = (contract?.payload ?? {}) as { properties?: Record<string, { type?: string }> };
  const isId = (field: string, value: unknown): boolean =>
    typeof value === 'number' && Object.hasOwn(properties, field) && properties[field]?.type === 'integer';
  return Object.fromEntries(
    Object.entries(JSON.parse(payload) as object).map(([field, value]) => [
      field,
      isId(field, value) ? (value as number) : '(not shown)',
    ]),
  );
}
