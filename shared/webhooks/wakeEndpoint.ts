import type { EndpointRef } from '../engine/db';
import type { Logger } from '../engine/log';
import type { JobQueues } from '../engine/jobs';

/**
 * Has a worker look what there is to send to an endpoint. The entry of the queue carries no truth, which stands in MySQL. `reason` tells wakes apart, for example `event-42`: one that comes while
 * the endpoint is being served must not be taken for the one that led to it. Never throws: the workers find what was not reported
 * within seconds.
 */
export async function wakeEndpoint(
  { queues, log }: { queues: Pick<JobQueues, 'add'>; log: Logger },
  endpoint: EndpointRef,
  reason: string,
): Promise<void> {
  const { companyId, endpointId } = endpoint;
  const jobId = `endpoint-${endpointId}-${reason}`;
  try {
    await queues.add({
      queue: 'webhook',
      name: 'serve',
      jobId,
      data: endpoint,
      flow: { companyId, isWaitedFor: true },
    });
  } catch (error) {
    log.debug({ err: error, endpointId }, 'a webhook endpoint could not be woken; the next scan does it');
  }
}
