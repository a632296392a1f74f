import { Job } from './Job';
import type { JobRef, UnitOfWork } from '../db';
import { Conflict, NotFound } from '../errors';
import type { JobContracts } from './JobContract';
import { recordAgain } from './recordJob';
import { recordEvent } from '../events';
import { jobEvents } from './events';

/**
 * Gives a failed job a new set of attempts. Returns another job with the same `dedupeKey`, if there is one. An `uncertain` job is not
 * retried: its outcome has to be found out at the provider first.
 * @throws {NotFound}; {@link Conflict} `job_not_failed`.
 */
export async function retryJob(uow: UnitOfWork, contracts: JobContracts, jobId: number): Promise<JobRef> {
  const { companyId, transaction } = uow;
  const job = await Job.findOne({ where: { companyId, id: jobId }, lock: transaction.LOCK.UPDATE, transaction });
  if (job === null) throw new NotFound('job');
  if (job.status !== 'failed') throw new Conflict('job_not_failed', `job ${jobId} is ${job.status}, not failed`);
  const contract = contracts[job.name];
  if (contract === undefined) throw new Error(`this version knows no job "${job.name}"`);
  const ref = await recordAgain(uow, job, contract);
  if (ref.id === job.id) recordEvent(uow, jobEvents.retried, job.id, { name: job.name });
  return ref;
}
