import { join } from 'node:path';
import { InvoicingClient } from '../../clients/typescript/src';
import { projectRoot } from '../../config/paths';
import { eventually } from '../support/eventually';
import { installation } from '../support/installation';
import { startApiProcess, startWorkerProcess } from '../support/processes';
import { Effects, jobIdOf, type Subject } from '../support/workers';
import { freePort } from '../../dev/servers/freePort';

/** Processes on machines whose clocks are an hour wrong, on an installation whose MySQL is right. */
let effects: Effects;
let env: Record<string, string>;
beforeAll(async () => {
  effects = await Effects.start();
  env = { ...(await installation()), ...effects.farSides.env };
});

const hour = 3_600_000;
const shifted = (ms: number): Record<string, string> => ({
  ...env,
  NODE_OPTIONS: `--require ${join(projectRoot, 'tests/support/shiftedClock.cjs')}`,
  TEST_CLOCK_SHIFT_MS: String(ms),
});
const request = async ({ as, invoice }: Subject): Promise<number> =>
  jobIdOf(await as.post(`/api/invoices/${invoice.id}/send-email`).set('Prefer', 'respond-async').expect(202));
const ended = (jobId: number) =>
  eventually(async () => {
    const job = await effects.job(jobId);
    return job.endedAt === null ? null : job;
  });
const near = (time: Date | null): boolean => Math.abs((time?.getTime() ?? 0) - Date.now()) < 600_000;

describe.each([
  ['behind', -hour],
  ['ahead', hour],
])('a worker whose clock is an hour %s', (_, shiftMs) => {
  test('runs what is due, retries in time, and says by how much its clock is wrong', async () => {
    const port = await freePort();
    const worker = await startWorkerProcess({
      ...shifted(shiftMs),
      WORKER_QUEUES: 'email,pdf',
      WORKER_HEALTH_PORT: String(port),
    });
    await effects.mailFault({ mode: 'refuse', stage: 'mail', code: 451 });
    const subject = await effects.invoice();
    const job = await ended(await request(subject));
    // An attempt that only waited for the PDF does not count.
    expect([job.status, job.attempt - job.uncounted]).toEqual(['done', 2]);
    expect([near(job.startedAt), near(job.endedAt)]).toEqual([true, true]);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
    const ready = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { clockOffsetMs: number };
    expect(Math.abs(ready.clockOffsetMs + shiftMs)).toBeLessThan(60_000);
    expect(worker.log()).toContain('the clock of this machine differs from that of MySQL');
    await worker.end('SIGKILL');
  });
});

test('an entry that BullMQ would hold back for an hour, since another machine’s clock was wrong › is run when it is due', async () => {
  const { queues, sql, outbox } = effects.services;
  const add = queues.add.bind(queues);
  jest.spyOn(queues, 'add').mockImplementationOnce((entry) => add({ ...entry, delayMs: hour }));
  const jobId = await request(await effects.invoice());
  await effects.startPool(['email', 'pdf']);
  await sql.run('UPDATE jobs SET relayAt = createdAt WHERE id = ?', [jobId]);
  await outbox.relayDue();
  expect((await ended(jobId)).status).toBe('done');
});

test('an API whose clock is an hour ahead › records the time of MySQL', async () => {
  const api = await startApiProcess({ ...shifted(hour), XENDIT_CALLBACK_TOKEN: 'x' });
  const { token, invoice: path } = await effects.invoice();
  const client = new InvoicingClient({ baseUrl: api.url, apiKey: token });
  await client.updateInvoice({ path, body: { notes: 'x' } });
  const { updatedAt } = await client.getInvoice({ path });
  expect(near(new Date(updatedAt))).toBe(true);
  const ready = (await (await fetch(`${api.url}/readyz`)).json()) as { clockOffsetMs: number };
  expect(Math.abs(ready.clockOffsetMs + hour)).toBeLessThan(60_000);
});
