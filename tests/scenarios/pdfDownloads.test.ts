import { Client } from '../../shared/models';
import { createPdfRenderer, type PdfRenderer } from '../../workers/pdf/PdfRenderer';
import { createLogger } from '../../shared/engine/log/log';
import { WorkerPool } from '../../workers/jobs/WorkerPool';
import { servedQueues } from '../../workers/servedQueues';
import { deadlineMs, holdDeadlines } from '../workers/pdf/holdDeadlines';
import { ownBrowsers } from '../workers/pdf/processes';
import { eventually } from '../support/eventually';
import { atEnd, openTestServices } from '../support/installation';
import { startApi } from '../support/server';
import { Effects, type Subject } from '../support/workers';

/** Counts what is printed. */
class CountingRenderer implements PdfRenderer {
  renders = 0;

  constructor(private readonly real: PdfRenderer) {}

  warm(): Promise<void> {
    return this.real.warm();
  }

  render(...given: Parameters<PdfRenderer['render']>): Promise<Buffer> {
    this.renders += 1;
    return this.real.render(...given);
  }

  close(): Promise<void> {
    return this.real.close();
  }
}

let effects: Effects;
let renderer: CountingRenderer;
beforeAll(async () => {
  effects = await Effects.start();
  const options = {
    chromePath: '',
    allowNoSandbox: true,
    environment: 'test',
    concurrency: 1,
    deadlineMs,
  } as const;
  renderer = new CountingRenderer(createPdfRenderer(options, createLogger('silent', 'test')));
  await renderer.warm();
  atEnd(() => renderer.close());
});
beforeEach(() => {
  renderer.renders = 0;
});

async function startPool(): Promise<() => Promise<void>> {
  const { services } = effects;
  const config = { ...services.config, worker: { ...services.config.worker, queues: ['pdf'] as const } };
  const tools = { ...effects.tools, services: { ...services, config } };
  const pool = new WorkerPool(services, servedQueues(tools, renderer));
  await pool.waitUntilReady();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= pool.drain(5_000));
  atEnd(stop);
  return stop;
}

const download = async ({ as, invoice }: Subject): Promise<Buffer> => {
  const response = await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
  expect(response.headers['content-type']).toBe('application/pdf');
  return response.body as Buffer;
};
const rename = (id: number, name: string) => Client.update({ name, updatedAt: new Date() }, { where: { id } });

describe('with a worker', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startPool();
  });
  afterAll(() => stop());

  test('an invoice is rendered once, however many concurrent requests, and never again while it is unchanged', async () => {
    const subject = await effects.invoice();
    const all = await Promise.all(Array.from({ length: 16 }, () => download(subject)));
    for (const one of all) expect(one.equals(all[0] ?? Buffer.alloc(0))).toBe(true);
    expect(renderer.renders).toBe(1);
    await download(subject);
    expect(renderer.renders).toBe(1);
  });

  test('a client’s new name is printed on a draft, and not on what was sent', async () => {
    const [draft, sent] = [await effects.invoice(), await effects.invoice({ status: 'sent' })];
    const before = [await download(draft), await download(sent)];
    await rename(draft.clientId, 'Renamed');
    await rename(sent.clientId, 'Renamed');
    const after = [await download(draft), await download(sent)];
    expect(after[0]?.equals(before[0] ?? Buffer.alloc(0))).toBe(false);
    expect(after[1]?.equals(before[1] ?? Buffer.alloc(0))).toBe(true);
    expect(renderer.renders).toBe(3);
  });

  test('two invoices that change between the request and the rendering are printed as they are then', async () => {
    const subject = await effects.invoice();
    await stop();
    const waiting = subject.as.get(`/api/invoices/${subject.invoice.id}/pdf`).then((response) => response);
    await eventually(async () => {
      const { waiting: queued = 0 } = await effects.services.queues.counts('pdf');
      return queued > 0;
    });
    await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ notes: 'Changed since' }).expect(200);
    stop = await startPool();
    const newer = await waiting;
    expect(newer.status).toBe(200);
    expect((newer.body as Buffer).equals(await download(subject))).toBe(true);
    expect(renderer.renders).toBe(1);
  });

  test('a killed browser costs nobody anything: the render is retried', async () => {
    await download(await effects.invoice());
    for (const pid of ownBrowsers()) process.kill(pid, 'SIGKILL');
    await Promise.all([download(await effects.invoice()), download(await effects.invoice())]);
    expect(renderer.renders).toBeGreaterThanOrEqual(3);
  });

  test('a hung browser is killed at its deadline, and the render is retried', async () => {
    await download(await effects.invoice());
    for (const pid of ownBrowsers()) process.kill(pid, 'SIGSTOP');
    const deadlines = holdDeadlines();
    const downloaded = download(await effects.invoice());
    await eventually(() => deadlines.count === 1);
    deadlines.pass();
    await downloaded;
  });
});

describe('without a worker', () => {
  test('what is not stored is 503 after the wait, and what is stored needs neither worker nor Redis', async () => {
    const api = await startApi({ env: { ...effects.farSides.env, JOB_WAIT_MS: '50' } });
    const [stored, unknown] = [await effects.invoice(), await effects.invoice()];
    const stop = await startPool();
    const bytes = await download(stored);
    await stop();
    const refused = await api.as(unknown.token).get(`/api/invoices/${unknown.invoice.id}/pdf`).expect(503);
    expect(refused.body).toMatchObject({ code: 'render_failed' });
    expect(refused.headers['retry-after']).toBe('2');
    const nowhere = await startApi({ env: { ...effects.farSides.env, REDIS_URL: 'redis://127.0.0.1:1' } });
    const response = await nowhere.as(stored.token).get(`/api/invoices/${stored.invoice.id}/pdf`).expect(200);
    expect((response.body as Buffer).equals(bytes)).toBe(true);
    await nowhere.as(unknown.token).get(`/api/invoices/${unknown.invoice.id}/pdf`).expect(503);
  });

  test('an e-mail waits for its PDF, and carries the invoice as it is when it is rendered', async () => {
    const patient = await openTestServices({ env: effects.farSides.env });
    const subject = await effects.invoice();
    const { body } = await subject.as
      .post(`/api/invoices/${subject.invoice.id}/send-email`)
      .set('Prefer', 'respond-async')
      .expect(202);
    const { jobId } = (body as { data: { jobId: number } }).data;
    const sending = effects.run(jobId, { services: patient });
    await eventually(async () => {
      const { waiting = 0, active = 0 } = await effects.services.queues.counts('pdf');
      return waiting + active > 0;
    });
    await rename(subject.clientId, 'Renamed While Rendering');
    const stop = await startPool();
    if ('nextRunAt' in (await sending)) await effects.runToEnd(jobId);
    expect((await effects.job(jobId)).status).toBe('done');
    const [message] = await effects.messagesTo(subject.clientEmail);
    expect(message?.text).toContain('Renamed While Rendering');
    expect(message?.contents[0]?.equals(await download(subject))).toBe(true);
    await stop();
  });
});
