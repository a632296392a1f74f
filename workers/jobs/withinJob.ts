import { withLogFields } from '../../shared/engine/log';
import { type Span, traced } from '../../shared/engine/trace';
import type { ClaimedJob } from './jobRow';

/** Runs `work` as a span of the trace that recorded the job. Every line that it logs names the job and the request. */
export function withinJob<T>(job: ClaimedJob, work: (span: Span) => Promise<T>): Promise<T> {
  const { id, name, companyId, attempt, requestId, traceparent } = job;
  const fields = { jobId: id, job: name, companyId, attempt, ...(requestId !== null && { requestId }) };
  const attributes = { 'invoicing.job.id': id, 'invoicing.job.attempt': attempt, 'invoicing.company.id': companyId };
  return withLogFields(fields, () =>
    traced(`run ${name}`, { kind: 'consumer', parent: traceparent, attributes }, work),
  );
}
