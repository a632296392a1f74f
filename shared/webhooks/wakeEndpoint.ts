import type { EndpointRef } from '../engine/db';
import type { Logger } from '../engine/log';
import type { JobQueues } from '../engine/jobs';

/**
 * Queues an entry by which a worker serves an endpoint. The entry is only a hint: MySQL has the events. `reason`, for example `event-42`,
 * makes the entry unique, so that a wake while the endpoint is being served is not dropped as a duplicate. Adds none while those of the
 * company are full ({@link JobQueues.isFull}). Never throws: the workers find a lost wake within seconds.
 */
export async function wakeEndpoint(
  { queues, log }: { queues: Pick<JobQueues, 'add' | 'isFull'>; log: Logger },
  { companyId, endpointId }: EndpointRef,
  reason: string,
): Promise<void> {
  const jobId = `endpoint-${endpointId}-${reason}`;
  const flow = { companyId, isWaitedFor: true };
  if (queues.isFull('webhook', flow)) return;
  try {
    await queues.add({ queue: 'webhook', name: 'serve', jobId, data: { companyId, endpointId }, flow });
  } catch (error) {
    log.debug({ err: error, endpointId }, 'a webhook endpoint could not be woken; the next scan does it');
  }
}
