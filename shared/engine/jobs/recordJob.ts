import { queues } from '../../../config/queues';
import { insertRow, isDuplicate, type JobRef, RetryTransaction, type UnitOfWork } from '../db';
import { Job } from './Job';
import { traced, traceparent } from '../trace';
import type { AnyJobContract, JobContract } from './JobContract';
import { relayAtOf } from './relayTimes';

/**
 * Records a job in the caller's transaction; nothing is queued before the commit. Where a job with the same `dedupeKey`
 * (see its contract) has not ended, returns that one instead of a second one.
 */
export async function recordJob<Payload>(
  uow: UnitOfWork,
  contract: JobContract<string, Payload, unknown>,
  payload: NoInfer<Payload>,
  { availableAt = uow.now }: { availableAt?: Date } = {},
): Promise<JobRef> {
  const { name, queue } = contract;
  const { companyId, requestId, isWaitedFor } = uow;
  const record = async (dedupeKey: string | null): Promise<JobRef> => {
    const id = await insertRow(uow.sql, 'jobs', {
      companyId,
      name,
      queue,
      payload: JSON.stringify(payload),
      dedupeKey,
      status: 'pending',
      attempt: 0,
      uncounted: 0,
      maxAttempt: queues[queue].retries.attempts,
      availableAt,
      relayAt: relayAtOf(availableAt, uow.now),
      createdAt: uow.now,
      updatedAt: uow.now,
      requestId,
      traceparent: traceparent(),
    });
    return toBeRelayed(uow, { companyId, id, name, queue, availableAt, isWaitedFor, requestId });
  };
  return traced(`record ${name}`, { kind: 'producer' }, async (span) => {
    const job = await sharing(uow, contract.dedupeKey?.(payload) ?? null, record);
    span.set({ 'invoicing.job.id': job.id, 'invoicing.company.id': companyId });
    return job;
  });
}

/** Makes an ended job pending, with a new set of attempts. Returns another job with the same `dedupeKey`, like {@link recordJob}. */
export function recordAgain(uow: UnitOfWork, job: Job, contract: AnyJobContract): Promise<JobRef> {
  return sharing(uow, contract.dedupeKey?.(JSON.parse(job.payload)) ?? null, async (dedupeKey) => {
    await job.update(
      {
        dedupeKey,
        status: 'pending',
        uncounted: job.attempt,
        maxAttempt: queues[contract.queue].retries.attempts,
        availableAt: uow.now,
        relayAt: uow.now,
        endedAt: null,
        updatedAt: uow.now,
        requestId: uow.requestId ?? job.requestId,
        traceparent: traceparent() ?? job.traceparent,
      },
      { transaction: uow.transaction },
    );
    return toBeRelayed(uow, refOf(job, uow.isWaitedFor));
  });
}

function toBeRelayed(uow: UnitOfWork, ref: JobRef): JobRef {
  uow.recordedJobs.push(ref);
  return ref;
}

async function sharing(
  uow: UnitOfWork,
  dedupeKey: string | null,
  write: (dedupeKey: string | null) => Promise<JobRef>,
): Promise<JobRef> {
  try {
    return await write(dedupeKey);
  } catch (error) {
    if (dedupeKey === null || !isDuplicate(error, 'jobs_dedupe_key')) throw error;
  }
  const inFlight = await Job.findOne({ where: { companyId: uow.companyId, dedupeKey }, transaction: uow.transaction });
  // The other job ended meanwhile: the caller's transaction is retried and records its own job.
  if (inFlight === null) throw new RetryTransaction('the job in flight has just ended');
  return refOf(inFlight, uow.isWaitedFor);
}

function refOf(job: Job, isWaitedFor: boolean): JobRef {
  const { companyId, id, name, queue, availableAt, requestId } = job;
  return { companyId, id, name, queue, availableAt, isWaitedFor, requestId };
}
