import { relay, retryPolicies } from '../../config/queues';
import { isDuplicate } from '../database/databaseErrors';
import { Job } from '../database/models';
import type { JobRef, UnitOfWork } from '../database/unitOfWork';
import { jobContracts, type JobName, type JobPayload } from '../jobs';

/**
 * Records a job in the caller's transaction; nothing is queued before the commit. With a `dedupeKey` that a job which has
 * not ended holds, that job is answered instead of a second one.
 */
export async function recordJob<N extends JobName>(
  uow: UnitOfWork,
  name: N,
  payload: JobPayload<N>,
  options: { dedupeKey?: string; availableAt?: Date } = {},
): Promise<JobRef> {
  const { queue } = jobContracts[name];
  const availableAt = options.availableAt ?? uow.now;
  try {
    const row = await Job.create(
      {
        companyId: uow.companyId,
        name,
        queue,
        payload: JSON.stringify(payload),
        dedupeKey: options.dedupeKey ?? null,
        status: 'pending',
        attempt: 0,
        maxAttempt: retryPolicies[queue].attempts,
        availableAt,
        // The relay after the commit comes first; the sweep makes good where it was lost.
        relayAt: new Date(availableAt.getTime() + relay.graceMs),
        createdAt: uow.now,
        updatedAt: uow.now,
      },
      { transaction: uow.transaction },
    );
    const ref = { companyId: uow.companyId, id: row.id, name, queue, availableAt };
    uow.recordedJobs.push(ref);
    return ref;
  } catch (error) {
    if (!isDuplicate(error, 'jobs_dedupe_key')) throw error;
    return jobInFlight(uow, name, options.dedupeKey ?? '');
  }
}

async function jobInFlight(uow: UnitOfWork, name: JobName, dedupeKey: string): Promise<JobRef> {
  const row = await Job.findOne({ where: { companyId: uow.companyId, dedupeKey }, transaction: uow.transaction });
  // It ended in this very moment: the caller's transaction starts again and records its own.
  if (row === null) throw Object.assign(new Error('the job in flight has just ended'), { errno: 1213 });
  return { companyId: uow.companyId, id: row.id, name, queue: row.queue, availableAt: row.availableAt };
}
