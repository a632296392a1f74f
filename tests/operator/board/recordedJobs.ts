import type { JobQueueName } from '../../../config/queues';
import { insertRow } from '../../../shared/engine/db/insert';
import type { JobStatus } from '../../../shared/engine/jobs/jobStates';
import type { Services } from '../../../shared/services';

/** What a test may say of a recorded job. */
export interface JobInput {
  companyId: number;
  status: JobStatus;
  queue?: JobQueueName;
  name?: string;
  payload?: object;
  /** Milliseconds from now until it is due. */
  dueInMs?: number;
}

/** Records a job in any status, as one that was run three times, once deferred. Returns its id. */
export function recordJobIn(
  { sql, clock }: Services,
  { companyId, status, queue = 'email', name = 'sendInvoiceEmail', payload, dueInMs = 0 }: JobInput,
): Promise<number> {
  const now = clock.now();
  const at = (ms: number): Date => new Date(now.getTime() + ms);
  const hasEnded = status !== 'pending' && status !== 'running';
  const hasFailed = status === 'failed' || status === 'uncertain';
  const error = {
    code: 'email_refused',
    message: 'the mail server refused the message: 550 no such user',
    status: 502,
  };
  return insertRow(sql, 'jobs', {
    companyId,
    name,
    queue,
    payload: JSON.stringify(payload ?? { invoiceId: 7, emailId: 9 }),
    status,
    attempt: 3,
    uncounted: 1,
    maxAttempt: 41,
    availableAt: at(dueInMs),
    relayAt: at(3_600_000),
    leaseUntil: status === 'running' ? at(60_000) : null,
    lastError: hasFailed ? JSON.stringify(error) : null,
    startedAt: at(-2_000),
    endedAt: hasEnded ? at(-500) : null,
    createdAt: at(-60_000),
    updatedAt: now,
  });
}
