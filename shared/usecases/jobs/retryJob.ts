import { Job } from '../../database/models';
import type { JobRef, UnitOfWork } from '../../database/unitOfWork';
import { Conflict, NotFound } from '../../errors';
import { recordAgain } from '../../outbox/recordJob';
import { recordEvent } from '../recordEvent';

/**
 * Gives a failed job a new set of attempts; where another job does the same by now, that one is answered. An `uncertain`
 * one is not repeated: whether it happened has to be found out at the provider first.
 * @throws {NotFound}; {@link Conflict} `job_not_failed`.
 */
export async function retryJob(uow: UnitOfWork, jobId: number): Promise<JobRef> {
  const { companyId, transaction } = uow;
  const job = await Job.findOne({ where: { companyId, id: jobId }, lock: transaction.LOCK.UPDATE, transaction });
  if (job === null) throw new NotFound('job');
  if (job.status !== 'failed') throw new Conflict('job_not_failed', `job ${jobId} is ${job.status}, not failed`);
  const ref = await recordAgain(uow, job);
  if (ref.id === job.id) await recordEvent(uow, 'job.retried', { type: 'job', id: job.id }, { name: job.name });
  return ref;
}
