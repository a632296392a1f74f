import { AppError } from '../../shared/errors';
import type { Services } from '../../shared/services';
import type { JobEnd } from '../../shared/usecases/jobs/getJob';
import type { Answer } from './Route';

/**
 * Waits for a job's end, at most `JOB_WAIT_MS`. Returns null when it has not ended: also when Redis is unreachable, and
 * without waiting with `respondAsync`.
 */
export async function awaitJob(
  { outbox, jobEnds, config }: Services,
  jobId: number,
  respondAsync: boolean,
): Promise<JobEnd | null> {
  const isWorthWaiting = !respondAsync && (await outbox.isQueued(jobId));
  return jobEnds.wait(jobId, isWorthWaiting ? config.jobWaitMs : 0);
}

/**
 * The response to a request whose job ended like this: 202 with the job's address when it has not.
 * @throws {AppError} with the status and code that the job failed with.
 */
export function answerOf(
  jobId: number,
  end: JobEnd | null,
  answer: (result: object) => Promise<Answer>,
): Answer | Promise<Answer> {
  if (end === null) return accepted(jobId);
  if (end.status === 'done') return answer(end.result ?? {});
  throw new AppError(end.error?.code ?? 'job_failed', end.error?.message ?? 'the job failed', {
    status: end.error?.status ?? 502,
  });
}

function accepted(jobId: number): Answer {
  return {
    status: 202,
    headers: { Location: `/api/jobs/${jobId}` },
    body: { message: 'Accepted: the job has not ended yet', data: { jobId } },
  };
}
