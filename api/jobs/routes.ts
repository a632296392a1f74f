import { jobStatuses } from '../../shared/kernel/jobs/jobStatuses';
import { getJob, type JobRecord } from '../../shared/kernel/jobs/getJob';
import { ok } from '../http/routing/Answer';
import { route, type Route } from '../http/routing/Route';
import { errorCode, timestamp, named, orNull, recordId, responseBody } from '../../shared/kernel/schemas/fields';

const jobSchema = named(
  'Job',
  responseBody({
    id: recordId,
    name: { type: 'string' },
    status: { type: 'string', enum: jobStatuses },
    attempt: { type: 'integer', minimum: 0 },
    result: { type: ['object', 'null'] },
    error: orNull(
      named('JobError', responseBody({ code: errorCode, message: { type: 'string' }, status: { type: 'integer' } })),
    ),
    createdAt: timestamp,
    startedAt: orNull(timestamp),
    endedAt: orNull(timestamp),
  }),
);

export const jobRoutes: Route[] = [
  route({
    operationId: 'getJob',
    method: 'GET',
    path: '/api/jobs/{id}',
    scope: 'read',
    tag: 'Jobs',
    summary: 'What has become of a job',
    success: { status: 200, description: 'The job', schema: jobSchema },
    handle: async ({ services, companyId, id }) => ok(presentJob(await getJob(services.sql, companyId, id))),
  }),
];

function presentJob(job: JobRecord): object {
  const { id, name, status, attempt, result, error, createdAt, startedAt, endedAt } = job;
  return { id, name, status, attempt, result, error, createdAt, startedAt, endedAt };
}
