import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Queue } from 'bullmq';
import { projectRoot } from '../../config/paths';
import { leases } from '../../config/queues';
import type { InvoiceDocument, Logo } from '../../shared/documents';
import { RenderCutOff } from '../../shared/engine/errors';
import { LoopShare } from '../../shared/engine/fair';
import type { Services } from '../../shared/services';
import { pdfFileKey } from '../../shared/invoiceDocuments/invoicePdf';
import { loadInvoiceDocument } from '../../shared/invoiceDocuments/loadInvoiceDocument';
import type { PdfRenderer, PrintOptions } from '../../workers/pdf/PdfRenderer';
import { WorkerPool } from '../../workers/jobs/WorkerPool';
import { servedQueues } from '../../workers/servedQueues';
import { createInvoice } from '../support/factories';
import { eventually } from '../support/eventually';
import { atEnd, installation, openTestServices } from '../support/installation';
import { shorten } from '../support/shorten';
import { Effects, jobIdOf, type Subject } from '../support/workers';

/** Prints nothing: notes whose invoices it is given, and waits or fails as it is told. */
class ScriptedRenderer implements PdfRenderer {
  readonly started: string[] = [];
  private open: (() => void) | null = null;
  private gate: Promise<void> = Promise.resolve();
  private readonly cutOff = new Set<string>();
  private readonly slow = new Map<string, number>();

  warm(): Promise<void> {
    return Promise.resolve();
  }

  async render(
    { sender, invoiceNumber }: InvoiceDocument,
    _logo: Logo | null,
    { onEnd }: PrintOptions = {},
  ): Promise<Buffer> {
    this.started.push(sender.name);
    await this.gate;
    onEnd?.(this.slow.get(sender.name) ?? 10);
    if (this.cutOff.has(sender.name)) throw new RenderCutOff('cut off');
    return Buffer.from(`%PDF-${invoiceNumber}`);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  hold(): void {
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  release(): void {
    this.open?.();
  }

  /** From now on each render for the sender reports that it took so long. */
  slowDown(sender: string, ms = 6_000): void {
    this.slow.set(sender, ms);
  }

  /** From now on each render for the sender is cut off. */
  cutOffAll(sender: string): void {
    this.cutOff.add(sender);
  }
}

let effects: Effects;
let renderer: ScriptedRenderer;
/** A pool of a test that failed must not take the jobs of the next one. */
const stops: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));
beforeAll(async () => {
  effects = await Effects.start({ JOB_WAIT_MS: '60000' });
});
beforeEach(() => {
  renderer = new ScriptedRenderer();
});

/** A pool that prints one PDF at a time, or sends one e-mail at a time. */
async function startPool(queue: 'pdf' | 'email', services: Services = effects.services): Promise<() => Promise<void>> {
  const concurrency = { ...services.config.worker.concurrency, pdf: 1, email: 1 };
  const config = { ...services.config, worker: { ...services.config.worker, queues: [queue], concurrency } };
  const tools = { ...effects.tools, services: { ...services, config } };
  const pool = new WorkerPool(services, servedQueues(tools, renderer));
  await pool.waitUntilReady();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= pool.drain(5_000));
  stops.push(stop);
  return stop;
}

const nameOf = async ({ companyId, invoice }: Subject) =>
  (await loadInvoiceDocument(effects.services, companyId, invoice.id)).document.sender.name;
const download = ({ as }: Subject, invoiceId: number) =>
  as.get(`/api/invoices/${invoiceId}/pdf`).then((response) => response);
const waitingRenders = async () => (await effects.services.queues.counts('pdf'))['waiting'] ?? 0;
const moreInvoices = ({ companyId, clientId }: Subject, count: number) =>
  Promise.all(Array.from({ length: count }, () => createInvoice(effects.services, companyId, { clientId })));

function longInvoice({ companyId, clientId }: Subject) {
  const description = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n');
  const items = Array.from({ length: 30 }, () => ({ description, quantity: '1', unitPrice: '1' }));
  return createInvoice(effects.services, companyId, { clientId, items });
}

test('a company that asks for many PDFs › another company’s PDF is printed after the one that is printed now', async () => {
  const [many, single] = [await effects.invoice(), await effects.invoice()];
  const invoices = await moreInvoices(many, 12);
  const stop = await startPool('pdf');
  renderer.hold();
  const downloads = invoices.map(({ id }) => download(many, id));
  await eventually(async () => renderer.started.length === 1 && (await waitingRenders()) === 11);
  const other = download(single, single.invoice.id);
  await eventually(async () => (await waitingRenders()) === 12);
  renderer.release();
  expect((await other).status).toBe(200);
  expect(renderer.started.indexOf(await nameOf(single))).toBeLessThanOrEqual(2);
  for (const response of await Promise.all(downloads)) expect(response.status).toBe(200);
  await stop();
});

test('a company that asks for many long PDFs › they are printed one after the other, beside usual ones', async () => {
  const [many, single] = [await effects.invoice(), await effects.invoice()];
  const long = await Promise.all([1, 2, 3].map(() => longInvoice(many)));
  const stop = await startPool('pdf');
  renderer.hold();
  const downloads = long.map(({ id }) => download(many, id));
  const waitingLong = async () => (await effects.services.queues.counts('pdf-long'))['waiting'];
  await eventually(async () => renderer.started.length === 1 && (await waitingLong()) === 2);
  const other = download(single, single.invoice.id);
  await eventually(() => renderer.started.length === 2);
  expect(renderer.started).toEqual([await nameOf(many), await nameOf(single)]);
  renderer.release();
  for (const response of await Promise.all([other, ...downloads])) expect(response.status).toBe(200);
  await stop();
});

test('a company whose long invoice took long › its usual ones are printed as usual ones', async () => {
  const subject = await effects.invoice();
  const { id } = await longInvoice(subject);
  renderer.slowDown(await nameOf(subject));
  const stop = await startPool('pdf');
  expect((await download(subject, id)).status).toBe(200);
  expect(await effects.services.slowRenders.has(subject.companyId)).toBe(false);
  expect((await download(subject, subject.invoice.id)).status).toBe(200);
  expect(await effects.services.slowRenders.has(subject.companyId)).toBe(true);
  await stop();
});

test('a company whose PDFs are printed among long ones › their time counts a third, since they are slower there', async () => {
  const subject = await effects.invoice();
  const invoices = await moreInvoices(subject, 2);
  renderer.slowDown(await nameOf(subject));
  const record = jest.spyOn(effects.services.slowRenders, 'record');
  const stop = await startPool('pdf');
  for (const { id } of [subject.invoice, ...invoices]) expect((await download(subject, id)).status).toBe(200);
  expect(renderer.started).toHaveLength(3);
  expect(record.mock.calls).toEqual([6_000, 2_000, 2_000].map((ms) => [subject.companyId, ms]));
  await stop();
});

test('a company with one PDF that took two seconds, as the first with Chinese fonts does › is printed among usual ones', async () => {
  const subject = await effects.invoice();
  renderer.slowDown(await nameOf(subject), 2_000);
  const stop = await startPool('pdf');
  expect((await download(subject, subject.invoice.id)).status).toBe(200);
  expect(await effects.services.slowRenders.has(subject.companyId)).toBe(false);
  await stop();
});

test('a print that takes longer than usual › counts as its company’s use of the worker', async () => {
  const subject = await effects.invoice();
  const charge = jest.spyOn(LoopShare.prototype, 'charge');
  const stop = await startPool('pdf');
  expect((await download(subject, subject.invoice.id)).status).toBe(200);
  expect(charge).toHaveBeenLastCalledWith(subject.companyId, 0);
  renderer.slowDown(await nameOf(subject));
  const [another] = await moreInvoices(subject, 1);
  expect((await download(subject, another?.id ?? 0)).status).toBe(200);
  expect(charge).toHaveBeenLastCalledWith(subject.companyId, 5_750);
  await stop();
});

test('a company one of whose PDFs took long › its next ones are printed one after the other, beside usual ones, also those that wait already', async () => {
  const [slow, single] = [await effects.invoice(), await effects.invoice()];
  const [first, ...waiting] = await moreInvoices(slow, 4);
  const longWaiting = async () => (await effects.services.queues.counts('pdf-long'))['waiting'];
  renderer.slowDown(await nameOf(slow));
  renderer.hold();
  const stop = await startPool('pdf');
  const downloads = [download(slow, first?.id ?? 0)];
  await eventually(() => renderer.started.length === 1);
  downloads.push(...waiting.map(({ id }) => download(slow, id)));
  await eventually(async () => (await waitingRenders()) === 3);
  renderer.release();
  renderer.hold();
  // One is printed as a long one; those that were taken as usual ones follow it.
  await eventually(async () => (await longWaiting()) === 2);
  const other = download(single, single.invoice.id);
  await eventually(() => renderer.started.length === 3);
  // The second slow one and the usual one run beside each other.
  expect(renderer.started.toSorted()).toEqual(
    [await nameOf(slow), await nameOf(slow), await nameOf(single)].toSorted(),
  );
  renderer.release();
  for (const response of await Promise.all([other, ...downloads])) expect(response.status).toBe(200);
  await stop();
});

test('a render that is cut off › is retried once; then the request gets 503, and the next request renders it', async () => {
  const subject = await effects.invoice();
  renderer.cutOffAll(await nameOf(subject));
  const stop = await startPool('pdf');
  const refused = await download(subject, subject.invoice.id);
  expect(refused.status).toBe(503);
  expect(refused.body).toMatchObject({ code: 'render_failed' });
  expect(renderer.started).toHaveLength(2);
  await download(subject, subject.invoice.id);
  expect(renderer.started).toHaveLength(4);
  await stop();
});

test('a render of which each worker dies › ends after its attempts: the request gets 503, and no worker retries', async () => {
  const subject = await effects.invoice();
  const { REDIS_URL = '', REDIS_PREFIX = '' } = await installation();
  const waiting = download(subject, subject.invoice.id);
  const script = `
    const { Worker } = require('bullmq');
    const { Redis } = require('ioredis');
    const connection = new Redis(${JSON.stringify(REDIS_URL)}, { maxRetriesPerRequest: null });
    const options = { connection, prefix: ${JSON.stringify(REDIS_PREFIX)}, lockDuration: 500, stalledInterval: 500, maxStalledCount: 1000 };
    new Worker('pdf', () => process.kill(process.pid, 'SIGKILL'), options);`;
  const queue = new Queue('pdf', { connection: { url: REDIS_URL }, prefix: REDIS_PREFIX });
  atEnd(() => queue.close());
  const starts = async (): Promise<number> => (await queue.getJobs())[0]?.attemptsStarted ?? 0;
  // Not three workers: one may end without having started the render.
  while ((await starts()) < 3) {
    const worker = spawn(process.execPath, ['-e', script], { cwd: projectRoot, stdio: 'ignore' });
    atEnd(() => void worker.kill('SIGKILL'));
    await once(worker, 'exit');
  }
  // The next check finds that the last worker is gone.
  shorten(leases, 'stalledCheckMs', 500);
  const stop = await startPool('pdf');
  jest.restoreAllMocks();
  const refused = await waiting;
  expect(refused.status).toBe(503);
  expect(refused.body).toMatchObject({ code: 'render_failed' });
  expect(renderer.started).toEqual([]);
  expect((await download(subject, subject.invoice.id)).status).toBe(200);
  await stop();
});

test('a PDF that was not rendered in time › is not rendered later for nobody', async () => {
  const impatient = await Effects.start({ JOB_WAIT_MS: '50' });
  const subject = await impatient.invoice();
  expect((await download(subject, subject.invoice.id)).status).toBe(503);
  expect(await waitingRenders()).toBe(0);
});

test('an e-mail whose PDF is not printed › makes room for an e-mail whose PDF is there', async () => {
  const patient = await openTestServices({ env: { ...effects.farSides.env, JOB_WAIT_MS: '60000' } });
  const [stuck, ready] = [await effects.invoice(), await effects.invoice()];
  const send = async ({ as }: Subject, id: number) =>
    jobIdOf(await as.post(`/api/invoices/${id}/send-email`).set('Prefer', 'respond-async').expect(202));
  const waiting = await send(stuck, stuck.invoice.id);
  const { companyId, invoice } = ready;
  const { key } = await loadInvoiceDocument(patient, companyId, invoice.id, { asSent: true });
  await patient.files.put(pdfFileKey(companyId, key), Buffer.from('%PDF-1.4'));
  const jobId = await send(ready, invoice.id);
  const stop = await startPool('email', patient);
  await eventually(async () => (await effects.job(jobId)).status === 'done');
  expect((await effects.job(waiting)).endedAt).toBeNull();
  await stop();
});
