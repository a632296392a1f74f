import { retryPolicies } from '../../../config/queues';
import { Job } from '../../database/models';
import type { JobRef, UnitOfWork } from '../../database/unitOfWork';
import { Conflict, NotFound } from '../../errors';
import { recordEvent } from '../recordEvent';

/**
 * Gives a failed job a new set of attempts. An `uncertain` one is not repeated: whether it happened has to be found out
 * at the provider first.
 * @throws {NotFound}; {@link Conflict} `job_not_failed`.
 */
export async function retryJob(uow: UnitOfWork, jobId: number): Promise<JobRef> {
  const { companyId, transaction } = uow;
  const job = await Job.findOne({ where: { companyId, id: jobId }, lock: transaction.LOCK.UPDATE, transaction });
  if (job === null) throw new NotFound('job');
  if (job.status !== 'failed') throw new Conflict('job_not_failed', `job ${jobId} is ${job.status}, not failed`);
  await job.update(
    {
      status: 'pending',
      maxAttempt: job.attempt + retryPolicies[job.queue].attempts,
      availableAt: uow.now,
      relayAt: uow.now,
      endedAt: null,
      updatedAt: uow.now,
    },
    { transaction },
  );
  const ref = { companyId, id: job.id, name: job.name, queue: job.queue, availableAt: uow.now };
  uow.recordedJobs.push(ref);
  await recordEvent(uow, 'job.retried', { type: 'job', id: job.id }, { name: job.name });
  return ref;
}
