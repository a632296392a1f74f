import { queueNames } from '../../config/queues';
import { version } from '../../config/version';
import { listWorkers, type WorkerRecord } from '../../shared/engine/jobs/workerRows';
import { eventually } from '../support/eventually';
import { createClient, createInvoice } from '../support/factories';
import { installation } from '../support/installation';
import { startWorkerProcess, type WorkerProcess } from '../support/processes';
import { Effects, jobIdOf, type Subject } from '../support/workers';

/** Real processes, which are killed at the worst moment. Their far sides hang for longer than the worker lives. */
let effects: Effects;
let env: Record<string, string>;
beforeAll(async () => {
  effects = await Effects.start({ JOB_WAIT_MS: '60000' });
  env = { ...(await installation()), ...effects.farSides.env, EMAIL_TIMEOUT_MS: '20000', GATEWAY_TIMEOUT_MS: '5000' };
});

const ended = (jobId: number) =>
  eventually(async () => {
    const job = await effects.job(jobId);
    return job.endedAt === null ? null : job;
  });
const request = async ({ as, invoice }: Subject, what: string) =>
  jobIdOf(await as.post(`/api/invoices/${invoice.id}/${what}`).set('Prefer', 'respond-async').expect(202));
const sendEmail = (subject: Subject) => request(subject, 'send-email');
const createLink = (subject: Subject) => request(subject, 'create-gateway-invoice');

test('a worker that is killed in every kind of job › each is run by another, and its effect is there once or uncertain', async () => {
  const first = await startWorkerProcess(env);
  const [sent, linked, cancelled] = [await effects.invoice(), await effects.invoice(), await effects.invoice()];
  await ended(await createLink(cancelled));
  await effects.gatewayFault({ reset: true });

  // The message is handed over, the link is made and the other one expired, and nobody is told.
  await effects.mailFault({ mode: 'hang', stage: 'reply' });
  await effects.gatewayFault({ mode: 'hang', operation: 'create', work: true });
  await effects.gatewayFault({ mode: 'hang', operation: 'expire', work: true });
  const sending = sent.as
    .post(`/api/invoices/${sent.invoice.id}/send-email`)
    .set('Idempotency-Key', 'killed')
    .then((response) => response);
  const link = await createLink(linked);
  await cancelled.as.put(`/api/invoices/${cancelled.invoice.id}`).send({ status: 'cancelled' }).expect(200);
  await eventually(async () => (await effects.messagesTo(sent.clientEmail)).length === 1);
  const { calls } = effects.sandbox.faults;
  await eventually(() => calls.create === 1 && calls.expire === 1);
  // A rendering is in the queue or under way.
  const pdf = linked.as.get(`/api/invoices/${linked.invoice.id}/pdf`).then((response) => response);
  const live = (): Promise<WorkerRecord[]> => listWorkers(effects.services.sql);
  const pidOf = ({ child }: WorkerProcess): number => child.pid ?? 0;
  expect(await live()).toMatchObject([{ pid: pidOf(first), version, queues: queueNames }]);
  await first.end('SIGKILL');

  const second = await startWorkerProcess(env);
  const response = await sending;
  expect(response.status).toBe(504);
  expect(response.body).toMatchObject({ code: 'delivery_uncertain' });
  expect(await effects.emails(sent.invoice.id)).toMatchObject([{ status: 'uncertain' }]);
  expect((await ended(link)).status).toBe('done');
  expect(calls.create).toBe(1);
  expect(await effects.payable(linked.invoice.id)).toHaveLength(1);
  const [expiry] = await effects.jobs(cancelled.companyId, 'expirePaymentLinks');
  expect((await ended(expiry?.id ?? 0)).status).toBe('done');
  expect(await effects.payable(cancelled.invoice.id)).toEqual([]);
  expect((await pdf).status).toBe(200);

  const again = await sent.as
    .post(`/api/invoices/${sent.invoice.id}/send-email`)
    .set('Idempotency-Key', 'killed')
    .expect(504);
  expect(again.body).toMatchObject({ code: 'delivery_uncertain' });
  expect(await effects.messagesTo(sent.clientEmail)).toHaveLength(1);
  const left = await eventually(async () => ((await live()).length === 1 ? live() : null));
  expect(left).toMatchObject([{ pid: pidOf(second) }]);
  expect(await second.end('SIGTERM')).toEqual([0, null]);
  expect(await live()).toEqual([]);
});

test('a worker that is killed while the messages of a round are handed over › those are uncertain, and no other', async () => {
  const settings = { ...env, WORKER_QUEUES: 'email,pdf' };
  const first = await effects.invoice();
  const subjects = [first];
  while (subjects.length < 4) {
    const client = await createClient(effects.services, first.companyId);
    const invoice = await createInvoice(effects.services, first.companyId, { clientId: client.id });
    subjects.push({ ...first, invoice, clientEmail: client.email ?? '' });
  }
  await effects.mailFault({ reset: true });
  await effects.mailFault({ mode: 'hang', stage: 'reply', times: subjects.length });
  // All wait in the queue before the worker takes the first.
  const jobs: number[] = [];
  for (const subject of subjects) jobs.push(await sendEmail(subject));
  const worker = await startWorkerProcess(settings);
  const handedOver = async (): Promise<boolean> =>
    (await Promise.all(subjects.map(({ clientEmail }) => effects.messagesTo(clientEmail)))).every(
      ({ length }) => length === 1,
    );
  await eventually(handedOver);
  await worker.end('SIGKILL');
  const later = await effects.invoice();
  const laterJob = await sendEmail(later);

  const next = await startWorkerProcess(settings);
  for (const jobId of jobs) expect(await ended(jobId)).toMatchObject({ status: 'uncertain' });
  expect(await ended(laterJob)).toMatchObject({ status: 'done' });
  for (const { invoice, clientEmail } of subjects) {
    expect(await effects.emails(invoice.id)).toMatchObject([{ status: 'uncertain' }]);
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  }
  expect(await effects.messagesTo(later.clientEmail)).toHaveLength(1);
  expect(await next.end('SIGTERM')).toEqual([0, null]);
});

test('a worker that is asked to end finishes its jobs, takes no new ones, and another continues', async () => {
  const worker = await startWorkerProcess({ ...env, WORKER_QUEUES: 'payment-link' });
  const [running, waiting] = [await effects.invoice(), await effects.invoice()];
  await effects.gatewayFault({ reset: true });
  await effects.gatewayFault({ mode: 'late', operation: 'create', delayMs: 700 });
  const first = await createLink(running);
  await eventually(() => effects.sandbox.faults.calls.create === 1);
  const exit = worker.end('SIGTERM');
  await eventually(() => worker.log().includes('shutting down'));
  expect(await exit).toEqual([0, null]);
  expect(await effects.job(first)).toMatchObject({ status: 'done', attempt: 1 });
  const second = await createLink(waiting);
  expect(await effects.job(second)).toMatchObject({ status: 'pending', attempt: 0 });
  const next = await startWorkerProcess({ ...env, WORKER_QUEUES: 'payment-link' });
  expect(await ended(second)).toMatchObject({ status: 'done', attempt: 1 });
  expect(await next.end('SIGTERM')).toEqual([0, null]);
});

test('a worker that does not end in time aborts its jobs, and another continues', async () => {
  await effects.gatewayFault({ reset: true });
  await effects.gatewayFault({ mode: 'hang', operation: 'create', work: true });
  const subject = await effects.invoice();
  const settings = { ...env, WORKER_QUEUES: 'payment-link' };
  const impatient = { ...settings, GATEWAY_TIMEOUT_MS: '60000', SHUTDOWN_TIMEOUT_MS: '1000' };
  const worker = await startWorkerProcess(impatient);
  const jobId = await createLink(subject);
  await eventually(() => effects.sandbox.faults.calls.create === 1);
  await worker.end('SIGTERM');
  expect((await effects.job(jobId)).endedAt).toBeNull();
  const next = await startWorkerProcess(settings);
  expect((await ended(jobId)).status).toBe('done');
  expect(await next.end('SIGTERM')).toEqual([0, null]);
  expect(effects.sandbox.faults.calls.create).toBe(1);
  expect(await effects.payable(subject.invoice.id)).toHaveLength(1);
});

test('processes serve the queues that WORKER_QUEUES gives them', async () => {
  await effects.gatewayFault({ reset: true });
  const links = await startWorkerProcess({ ...env, WORKER_QUEUES: 'payment-link' });
  const subject = await effects.invoice();
  const email = await sendEmail(subject);
  expect((await ended(await createLink(subject))).status).toBe('done');
  expect(await effects.job(email)).toMatchObject({ status: 'pending', attempt: 0 });
  const emails = await startWorkerProcess({ ...env, WORKER_QUEUES: 'email' });
  const pdfs = await startWorkerProcess({ ...env, WORKER_QUEUES: 'pdf' });
  expect((await ended(email)).status).toBe('done');
  expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  for (const worker of [links, emails, pdfs]) expect(await worker.end('SIGTERM')).toEqual([0, null]);
});
