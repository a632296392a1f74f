import { getJob, type JobRecord, jobStatuses } from '../../shared/engine/jobs';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { errorCode, named, orNull, recordId, responseBody, timestamp } from '../../shared/engine/schemas';

const jobSchema = named(
  'Job',
  responseBody({
    id: recordId,
    name: { type: 'string' },
    status: { type: 'string', enum: jobStatuses },
    attempt: { type: 'integer', minimum: 0, description: 'How often it was started, deferrals included.' },
    attemptsUsed: {
      type: 'integer',
      minimum: 0,
      description: 'Attempts of attemptsAllowed, with the one in progress. Deferrals are none.',
    },
    attemptsAllowed: { type: 'integer', minimum: 0, description: 'After so many failed attempts the job has failed.' },
    nextAttemptAt: orNull({
      ...timestamp,
      description: 'When it runs at the earliest. Null for a job that is not pending.',
    }),
    paused: {
      type: 'boolean',
      description: 'The operator of the installation has paused the queue of the job, or one that it needs.',
    },
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
    handle: async ({ services, companyId, id }) => {
      const job = await getJob(services.sql, companyId, id);
      return ok(presentJob(job, await services.pauses.hold(job)));
    },
  }),
];

function presentJob({ queue: _, ...job }: JobRecord, paused: boolean): object {
  return { ...job, paused };
}
