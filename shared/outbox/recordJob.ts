import { relay, retryPolicies } from '../../config/queues';
import { isDuplicate } from '../database/databaseErrors';
import { insertRow } from '../database/insert';
import { Job } from '../database/models';
import { StartAgain, type JobRef, type UnitOfWork } from '../database/unitOfWork';
import { jobContracts, type JobName, type JobPayload } from '../jobs';
import type { JobContract } from '../jobs/JobContract';

/**
 * Records a job in the caller's transaction; nothing is queued before the commit. Where a job with the same `dedupeKey`
 * (see its contract) has not ended, that one is answered instead of a second one.
 */
export async function recordJob<N extends JobName>(
  uow: UnitOfWork,
  name: N,
  payload: JobPayload<N>,
  options: { availableAt?: Date } = {},
): Promise<JobRef> {
  const { queue } = jobContracts[name];
  const availableAt = options.availableAt ?? uow.now;
  return sharing(uow, dedupeKeyOf(name, payload), async (dedupeKey) => {
    const id = await insertRow(uow.sql, 'jobs', {
      companyId: uow.companyId,
      name,
      queue,
      payload: JSON.stringify(payload),
      dedupeKey,
      status: 'pending',
      attempt: 0,
      maxAttempt: retryPolicies[queue].attempts,
      availableAt,
      // The relay after the commit comes first; the sweep makes good where it was lost.
      relayAt: new Date(availableAt.getTime() + relay.graceMs),
      createdAt: uow.now,
      updatedAt: uow.now,
    });
    return toBeRelayed(uow, { companyId: uow.companyId, id, name, queue, availableAt });
  });
}

/** Makes an ended job wait again, with a new set of attempts; like {@link recordJob} where another has taken its place. */
export function recordAgain(uow: UnitOfWork, job: Job): Promise<JobRef> {
  const name = job.name as JobName;
  return sharing(uow, dedupeKeyOf(name, JSON.parse(job.payload) as JobPayload<JobName>), async (dedupeKey) => {
    await job.update(
      {
        dedupeKey,
        status: 'pending',
        maxAttempt: job.attempt + retryPolicies[job.queue].attempts,
        availableAt: uow.now,
        relayAt: uow.now,
        endedAt: null,
        updatedAt: uow.now,
      },
      { transaction: uow.transaction },
    );
    return toBeRelayed(uow, refOf(job));
  });
}

/** The key under which jobs of this kind share the one in flight, or null where each is its own. */
export function dedupeKeyOf<N extends JobName>(name: N, payload: JobPayload<N>): string | null {
  const contract = jobContracts[name] as JobContract<string, JobPayload<N>, unknown> | undefined;
  return contract?.dedupeKey?.(payload) ?? null;
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
  // It ended in this very moment: the caller's transaction starts again and records its own.
  if (inFlight === null) throw new StartAgain('the job in flight has just ended');
  return refOf(inFlight);
}

const refOf = ({ companyId, id, name, queue, availableAt }: Job): JobRef => ({
  companyId,
  id,
  name,
  queue,
  availableAt,
});
