import { jobsInState, MAX_LISTED } from '../../../shared/engine/jobs/jobsInState';
import type { JobStatus } from '../../../shared/engine/jobs/jobStates';
import { Job } from '../../../shared/models';
import { createCompany } from '../../support/factories';
import { startOperator, type TestOperator } from '../../support/operator';
import { plansOf } from '../../support/plans';
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

interface BoardJob {
  id: string | number;
  name: string;
  data: Record<string, unknown>;
  failedReason: string;
  attempts: number;
}
interface BoardList {
  jobs: BoardJob[];
  counts: Record<string, number>;
  pagination: { pageCount: number };
  description: string;
}

const record = (job: Omit<JobInput, 'companyId'>): Promise<number> =>
  recordJobIn(operator.services, { companyId, ...job });

/** A list of the board, with the counts of at most two seconds ago. */
async function list(queue: string, status: string, page = 1, jobsPerPage = 10): Promise<BoardList> {
  const query = new URLSearchParams({
    activeQueue: queue,
    status,
    page: String(page),
    jobsPerPage: String(jobsPerPage),
  });
  const response = await operator.get(`/board/api/queues?${query.toString()}`);
  expect(response.status).toBe(200);
  const { queues } = (await response.json()) as { queues: (BoardList & { name: string })[] };
  return queues.find(({ name }) => name === queue) as BoardList;
}

describe('a list', () => {
  test.each<[string, JobStatus, number, string]>([
    ['due', 'pending', 0, 'waiting'],
    ['due later', 'pending', 60_000, 'delayed'],
    ['running', 'running', 0, 'active'],
    ['done', 'done', 0, 'completed'],
    ['failed', 'failed', 0, 'failed'],
    ['uncertain', 'uncertain', 0, 'waiting-children'],
  ])('a job that is %s › is in one list, and among the latest', async (_, status, dueInMs, expected) => {
    const id = await record({ status, dueInMs });
    const statuses = ['waiting', 'delayed', 'active', 'completed', 'failed', 'waiting-children'];
    const found = await Promise.all(
      statuses.map(async (name) => (await list('email', name)).jobs.map((job) => job.id)),
    );
    expect(Object.fromEntries(statuses.map((name, index) => [name, found[index]]))).toEqual(
      Object.fromEntries(statuses.map((name) => [name, name === expected ? [id] : []])),
    );
    expect((await list('email', 'latest')).jobs.map((job) => job.id)).toEqual([id]);
    expect((await list('payment-link', 'latest')).jobs).toEqual([]);
  });

  test('several jobs › those that run next, or ran last, come first, page by page', async () => {
    const waiting = [
      await record({ status: 'pending', dueInMs: -3_000 }),
      await record({ status: 'pending', dueInMs: -9_000 }),
    ];
    const failed = [
      await record({ status: 'failed', dueInMs: -9_000 }),
      await record({ status: 'failed', dueInMs: -3_000 }),
    ];
    const ids = async (status: string, page: number): Promise<unknown[]> =>
      (await list('email', status, page, 1)).jobs.map(({ id }) => id);
    expect([await ids('waiting', 1), await ids('waiting', 2)]).toEqual([[waiting[1]], [waiting[0]]]);
    expect([await ids('failed', 1), await ids('failed', 2)]).toEqual([[failed[1]], [failed[0]]]);
  });

  test('more jobs than a list shows › the last page that is offered has the last job that is shown', async () => {
    await record({ status: 'done' });
    for (let rows = 1; rows <= MAX_LISTED; rows *= 2) {
      await operator.services.sql.run(
        `INSERT INTO jobs (companyId, name, queue, payload, status, maxAttempt, availableAt, relayAt, createdAt, updatedAt)
         SELECT companyId, name, queue, payload, status, maxAttempt, availableAt, relayAt, createdAt, updatedAt FROM jobs`,
      );
    }
    const { sql, clock } = operator.services;
    const plan = await plansOf(sql, (each) => jobsInState(each, 'email', 'done', clock.now(), { from: 0, limit: 10 }));
    const scan = plan.flat().find(({ key }) => key === 'jobs_by_state');
    expect(scan?.Extra).toMatch(/Using index(?!.*filesort)/);
    const { pagination, counts } = await list('email', 'completed', 1, 300);
    expect(counts['completed']).toBe(MAX_LISTED);
    expect(pagination.pageCount).toBe(Math.ceil(MAX_LISTED / 300));
    expect((await list('email', 'completed', pagination.pageCount, 300)).jobs).toHaveLength(MAX_LISTED % 300);
    expect((await list('email', 'completed', pagination.pageCount + 1, 300)).jobs).toEqual([]);
  });
});

describe('a job', () => {
  test('its page › has its company, ids, attempts, times and error, and nothing else of its payload', async () => {
    const id = await record({
      status: 'failed',
      payload: { invoiceId: 7, emailId: '12', secret: 'geheim', to: ['a@b.example'] },
    });
    const response = await operator.get(`/board/api/queues/email/${id}`);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      status: 'failed',
      job: {
        id,
        name: 'sendInvoiceEmail',
        data: {
          error: 'email_refused: the mail server refused the message: 550 no such user',
          company: companyId,
          payload: { invoiceId: 7, emailId: '(not shown)', secret: '(not shown)', to: '(not shown)' },
          attempts: { counted: 2, notCounted: 1, allowed: 41 },
          times: { started: expect.any(String) as string, ended: expect.any(String) as string, nextRun: null },
        },
        failedReason: 'email_refused: the mail server refused the message: 550 no such user',
        attempts: 2,
        attemptsStarted: 3,
        finishedOn: expect.any(Number) as number,
        processedOn: expect.any(Number) as number,
      },
    });
    expect(text).not.toMatch(/geheim|b\.example/);
  });

  test('a job of another version › shows no value of its payload', async () => {
    const id = await record({ status: 'pending', name: 'fromTheFuture', payload: { invoiceId: 7 }, dueInMs: 5_000 });
    const response = await operator.get(`/board/api/queues/email/${id}`);
    const { job } = (await response.json()) as { job: BoardJob };
    expect(job.data).toMatchObject({
      payload: { invoiceId: '(not shown)' },
      times: { nextRun: expect.any(String) as string },
    });
  });

  test.each(['0', '-1', 'abc', '1e3', '99999999999999999999', '%00'])('no job has the id %s › 404', async (id) => {
    expect((await operator.get(`/board/api/queues/email/${id}`)).status).toBe(404);
  });

  test('a job of another queue › 404', async () => {
    const id = await record({ status: 'failed' });
    expect((await operator.get(`/board/api/queues/payment-link/${id}`)).status).toBe(404);
  });
});

test('renders › those that take long are among them, with their ids only', async () => {
  const { queues } = operator.services;
  const render = { companyId, invoiceId: 3, documentKey: 'a-key', isLong: false };
  for (const [queue, jobId, flow] of [
    ['pdf', 'pdf-1-w', undefined],
    ['pdf', 'pdf-1-p', { companyId, isWaitedFor: true }],
    ['pdf-long', 'pdf-1-l', undefined],
  ] as const) {
    await queues.add({ queue, name: 'renderInvoicePdf', jobId, data: render, ...(flow && { flow }) });
  }
  const ids = ({ jobs }: BoardList): unknown[] => jobs.map(({ id }) => id);
  const all = await list('pdf', 'waiting');
  expect(ids(all)).toEqual(['pdf-1-w', 'pdf-1-l', 'pdf-1-p']);
  expect(all.jobs.map(({ data }) => data)).toEqual(all.jobs.map(() => ({ companyId, invoiceId: 3, isLong: false })));
  expect(JSON.stringify(all)).not.toMatch('a-key');
  expect([ids(await list('pdf', 'waiting', 2, 1)), ids(await list('pdf', 'waiting', 3, 1))]).toEqual([
    ['pdf-1-l'],
    ['pdf-1-p'],
  ]);
  const response = await operator.get('/board/api/queues/pdf/pdf-1-l');
  expect(await response.json()).toMatchObject({ status: 'waiting', job: { name: 'renderInvoicePdf' } });
});

describe('the page', () => {
  test.each(['/board', '/board/', '/board/queue/email', '/board/queue/email/42'])(
    '%s › loads nothing from elsewhere',
    async (path) => {
      const response = await operator.get(path);
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-store']);
      expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(await response.text()).not.toMatch(/https?:\/\//);
    },
  );

  test('its files › may be kept by the browser, other responses may not', async () => {
    const [, script = ''] = /src="(static\/js\/[^"]+)"/.exec(await (await operator.get('/board')).text()) ?? [];
    const cacheControlOf = async (path: string): Promise<string | null> =>
      (await operator.get(path)).headers.get('Cache-Control');
    expect(await cacheControlOf(`/board/${script}`)).toMatch(/^private, max-age=/);
    expect(await cacheControlOf('/board/static/js/none.js')).toBe('no-store');
    expect(await cacheControlOf('/board/api/queues')).toBe('no-store');
  });
});
