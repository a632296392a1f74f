import { AppError, RequestAborted } from '../../../shared/engine/errors';
import type { Services } from '../../../shared/services';
import type { JobEnd } from '../../../shared/engine/jobs';
import type { RouteResponse } from './RouteResponse';

/**
 * Waits for a job's end, at most `JOB_WAIT_MS`; with `respondAsync` not at all. Returns null when the job has not ended, without
 * waiting also when Redis is unreachable, or a queue is paused without which the job cannot end.
 * @throws {RequestAborted} when the caller has left.
 */
export async function awaitJob(
  { outbox, pauses, jobEnds, config }: Services,
  jobId: number,
  respondAsync: boolean,
  left: AbortSignal,
): Promise<JobEnd | null> {
  const isWorthWaiting = !respondAsync && (await outbox.isQueued(jobId)) && !(await pauses.holdBack(jobId));
  const end = await jobEnds.wait(jobId, isWorthWaiting ? config.jobWaitMs : 0, left);
  if (end === null && left.aborted) throw new RequestAborted();
  return end;
}

/**
 * Returns the response to a request by the end of its job: 202 with the job's address and `acceptedMessage` when it has not ended.
 * @throws {AppError} with the status and code that the job failed with.
 */
export function responseOf(
  jobId: number,
  end: JobEnd | null,
  response: (result: object) => Promise<RouteResponse>,
  acceptedMessage: string,
): RouteResponse | Promise<RouteResponse> {
  if (end === null) return accepted(jobId, acceptedMessage);
  if (end.status === 'done') return response(end.result ?? {});
  throw new AppError(end.error?.code ?? 'job_failed', end.error?.message ?? 'the job failed', {
    status: end.error?.status ?? 502,
  });
}

function accepted(jobId: number, message: string): RouteResponse {
  return {
    status: 202,
    headers: { Location: `/api/jobs/${jobId}` },
    body: { message, data: { jobId } },
  };
}
