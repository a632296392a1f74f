import { jobStatuses } from '../../shared/database/models/Job';
import { getJob, type JobRecord } from '../../shared/usecases/jobs/getJob';
import { ok, route, type Route } from '../routing/Route';
import { moment, orNull, recordId, responseBody } from '../validation/fields';

const jobSchema = responseBody({
  id: recordId,
  name: { type: 'string' },
  status: { type: 'string', enum: jobStatuses },
  attempt: { type: 'integer', minimum: 0 },
  result: { type: ['object', 'null'] },
  error: orNull(responseBody({ code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } })),
  createdAt: moment,
  startedAt: orNull(moment),
  endedAt: orNull(moment),
});

export const jobRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/jobs/{id}',
    scope: 'read',
    tag: 'Jobs',
    summary: 'What has become of a job',
    success: { status: 200, description: 'The job', schema: jobSchema },
    handle: async ({ companyId, id }) => ok(presentJob(await getJob(companyId, id))),
  }),
];

function presentJob(job: JobRecord): object {
  const { id, name, status, attempt, result, error, createdAt, startedAt, endedAt } = job;
  return { id, name, status, attempt, result, error, createdAt, startedAt, endedAt };
}
