import { appRoutes } from '@bull-board/api/dist/routes.js';
import { jobQueueNames, rowlessQueueNames } from '../../../config/queues';
import { unchangeable } from '../../../operator/board/BoardQueue';
import { pausedQueues } from '../../../shared/engine/jobs/queuePauses';
import { RecordedQueue } from '../../../operator/board/RecordedQueue';
import { RefusedByBoard } from '../../../operator/board/RefusedByBoard';
import { RowlessQueue } from '../../../operator/board/RowlessQueue';
import { QueueSignals } from '../../../shared/engine/jobs/QueueSignals';
import type { JobStatus } from '../../../shared/engine/jobs/jobStates';
import { queueCounters } from '../../../shared/queueCounters';
import { Job } from '../../../shared/models';
import { Event } from '../../support/models';
import { createCompany } from '../../support/factories';
import { operatorToken, startOperator, type TestOperator } from '../../support/operator';
import { recordJobIn, type JobInput } from './recordedJobs';

let operator: TestOperator;
let companyId: number;

beforeAll(async () => {
  operator = await startOperator();
  ({ companyId } = await createCompany(operator.services));
});
beforeEach(async () => {
  await Job.destroy({ where: {} });
});

const record = (job: Omit<JobInput, 'companyId'>): Promise<number> =>
  recordJobIn(operator.services, { companyId, ...job });

function change(path: string, method = 'PUT', headers: Record<string, string> = {}): Promise<Response> {
  const basic = Buffer.from(`operator:${operatorToken}`).toString('base64');
  return fetch(`${operator.url}/board/api${path}`, {
    method,
    headers: { Authorization: `Basic ${basic}`, ...headers },
  });
}

describe('a retry', () => {
  const retry = (id: number, headers = {}): Promise<Response> => change(`/queues/email/${id}/retry`, 'PUT', headers);
  const statusOf = async (id: number): Promise<string> =>
    (await Job.findOne({ where: { id }, rejectOnEmpty: true })).status;

  test('a failed job › is pending with a new set of attempts, and the event names the board', async () => {
    const id = await record({ status: 'failed' });
    expect((await retry(id, { Origin: operator.url, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(204);
    expect(await Job.findOne({ where: { id }, raw: true })).toMatchObject({
      status: 'pending',
      attempt: 3,
      uncounted: 3,
    });
    const [event] = await Event.findAll({ where: { companyId, type: 'job.retried', subjectId: id }, raw: true });
    expect(event).toMatchObject({ actor: 'board' });
  });

  test.each<JobStatus>(['pending', 'running', 'done', 'uncertain'])(
    'a job that is %s › is left alone',
    async (status) => {
      const id = await record({ status });
      expect([400, 409]).toContain((await retry(id)).status);
      expect(await statusOf(id)).toBe(status);
    },
  );

  test('a job of another queue › 404', async () => {
    const id = await record({ status: 'failed' });
    expect((await change(`/queues/payment-link/${id}/retry`)).status).toBe(404);
    expect(await statusOf(id)).toBe('failed');
  });

  test.each([
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
  ])('a page of another origin asks for it (%j) › 403, though the browser added the password', async (headers) => {
    const id = await record({ status: 'failed' });
    expect((await retry(id, headers)).status).toBe(403);
    expect((await change('/queues/email/pause', 'PUT', headers)).status).toBe(403);
    expect(await statusOf(id)).toBe('failed');
  });
});

test('every other change that bull-board has › is refused, and nothing is changed', async () => {
  const id = await record({ status: 'failed' });
  await record({ status: 'pending', dueInMs: 60_000 });
  await record({ status: 'done' });
  const { sql, queues } = operator.services;
  await queues.add({ queue: 'pdf', name: 'renderInvoicePdf', jobId: 'pdf-1-a', data: { companyId, invoiceId: 1 } });
  const everything = async (): Promise<object> => ({
    jobs: await sql.rows('SELECT * FROM jobs ORDER BY id'),
    renders: (await queues.entries('pdf', 'wait', 0, 10)).jobs.map(({ id, data }) => [id, data as object]),
  });
  const before = await everything();
  const allowed = /\/(pause|resume)$|\/:jobId\/retry$/;
  const changes = appRoutes.api
    .flatMap(({ method, route }) =>
      [method].flat().flatMap((each) => [route].flat().map((path) => ({ method: each, path }))),
    )
    .filter(({ method, path }) => method !== 'get' && !allowed.test(path));
  expect(changes.length).toBeGreaterThan(15);
  for (const { method, path } of changes) {
    for (const [queue, jobId, status] of [
      ['email', String(id), 'failed'],
      ['pdf', 'pdf-1-a', 'completed'],
    ] as const) {
      const filled = path
        .replace(':queueName', queue)
        .replace(':jobId', jobId)
        .replace(':queueStatus', status)
        .replace(':schedulerId', 'any')
        .replace(/^\/api/, '');
      const response = await change(filled, method.toUpperCase());
      expect([method, filled, response.status]).toEqual([method, filled, 403]);
      expect(await response.text()).toMatch(/the board does not do this/);
    }
  }
  expect(await everything()).toEqual(before);
});

describe('a pause', () => {
  const put = async (path: string): Promise<number> => (await change(`/queues${path}`)).status;
  const shown = async (): Promise<string[]> => {
    const response = await operator.get('/board/api/queues');
    const { queues } = (await response.json()) as { queues: { name: string; isPaused: boolean }[] };
    return queues.filter(({ isPaused }) => isPaused).map(({ name }) => name);
  };

  test('one queue › is paused for the workers, until it is resumed', async () => {
    expect(await put('/pdf/pause')).toBe(200);
    expect([...(await pausedQueues(operator.services.sql)).keys()]).toEqual(['pdf']);
    expect(await shown()).toEqual(['pdf']);
    expect(await put('/pdf/resume')).toBe(200);
    expect(await shown()).toEqual([]);
  });

  test('all queues › are paused and resumed together', async () => {
    expect(await put('/pause')).toBe(200);
    expect(await shown()).toEqual([...jobQueueNames, ...rowlessQueueNames]);
    expect(await put('/resume')).toBe(200);
    expect(await shown()).toEqual([]);
  });
});

test('what the board does not do › is refused by its queues themselves as well', async () => {
  const { services } = operator;
  const eventLoop = { longestSeconds: () => 0, stop: () => undefined };
  const context = { services, signals: new QueueSignals(services, queueCounters), eventLoop };
  for (const queue of [new RecordedQueue(context, 'email'), new RowlessQueue(context, 'pdf')]) {
    const refused = [
      queue.addJob,
      queue.clean,
      queue.empty,
      queue.obliterate,
      queue.promoteAll,
      queue.setGlobalConcurrency,
      queue.setConfiguredRateLimit,
      queue.removeConfiguredRateLimit,
      queue.releaseActiveRateLimit,
      queue.removeJobScheduler,
      queue.updateJobScheduler,
      queue.runJobSchedulerNow,
    ];
    for (const method of refused) await expect(method()).rejects.toThrow(RefusedByBoard);
  }
  for (const method of Object.values(unchangeable) as (() => Promise<void>)[]) {
    await expect(method()).rejects.toThrow(RefusedByBoard);
  }
});
