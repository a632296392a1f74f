import { AppError } from '../../shared/errors';
import { bullJobId } from '../../shared/outbox/Outbox';
import { waitFor } from '../../shared/queues/waitFor';
import type { Services } from '../../shared/services';
import { getJobEnd } from '../../shared/usecases/jobs/getJob';
import type { Answer } from './Route';

/**
 * Waits for a job's end (at most `JOB_WAIT_MS`) and answers its outcome; 202 with the job's address when it has not ended,
 * when Redis is away, or at once with `respondAsync`.
 * @throws {AppError} with the status and code that the job failed with.
 */
export async function awaitJob(
  { services, companyId }: { services: Services; companyId: number },
  jobId: number,
  respondAsync: boolean,
  answer: (result: object) => Promise<Answer>,
): Promise<Answer> {
  const patient = !respondAsync && (await services.outbox.isQueued(jobId));
  const timeoutMs = patient ? services.config.jobWaitMs : 0;
  const job = await waitFor(services.endings, bullJobId(jobId), timeoutMs, () =>
    getJobEnd(services.sql, companyId, jobId),
  );
  if (job === null) return accepted(jobId);
  if (job.status === 'done') return answer(job.result ?? {});
  throw new AppError(job.error?.code ?? 'job_failed', job.error?.message ?? 'the job failed', {
    status: job.error?.status ?? 502,
  });
}

function accepted(jobId: number): Answer {
  return {
    status: 202,
    headers: { Location: `/api/jobs/${jobId}` },
    body: { message: 'Accepted: the job has not ended yet', data: { jobId } },
  };
}
