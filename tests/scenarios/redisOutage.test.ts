import { Job } from '../../shared/models';
import { createClient, invoiceInput } from '../support/factories';
import { eventually } from '../support/eventually';
import { atEnd, installation, openTestServices } from '../support/installation';
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy';
import { Effects, jobIdOf, type Subject } from '../support/workers';

/** API and workers see Redis through a proxy that can be cut. A request that waited for its job would not end in time. */
let effects: Effects;
let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await startTcpProxy((await installation())['REDIS_URL'] ?? '');
  effects = await Effects.start({ REDIS_URL: proxy.url, JOB_WAIT_MS: '120000' });
  await eventually(() => effects.services.queues.isConnected);
  await effects.startPool(['email', 'pdf', 'payment-link']);
  effects.startSchedules();
});
afterEach(() => proxy.restore());
atEnd(() => proxy.restore());

const unreachable = () => eventually(() => !effects.services.queues.isConnected);
const back = () => eventually(() => effects.services.queues.isConnected);
const ended = (jobId: number) =>
  eventually(async () => {
    const job = await effects.job(jobId);
    return job.endedAt === null ? null : job;
  });
const sendEmail = ({ as, invoice }: Subject) => as.post(`/api/invoices/${invoice.id}/send-email`);

describe('while Redis is unreachable', () => {
  test('effects are accepted immediately and happen once when it is back; reads, writes and stored PDFs go on', async () => {
    const [cached, uncached] = [await effects.invoice(), await effects.invoice()];
    const pdf = `/api/invoices/${cached.invoice.id}/pdf`;
    const before = await cached.as.get(pdf).expect(200);
    proxy.cut();
    await unreachable();

    const email = await sendEmail(uncached).expect(202);
    expect(email.headers['location']).toBe(`/api/jobs/${jobIdOf(email)}`);
    const again = await sendEmail(cached).set('Idempotency-Key', 'k').expect(202);
    expect((await sendEmail(cached).set('Idempotency-Key', 'k').expect(202)).body).toEqual(again.body);
    const link = await cached.as.post(`/api/invoices/${cached.invoice.id}/create-gateway-invoice`).expect(202);
    const { body } = await cached.as.get(`/api/jobs/${jobIdOf(link)}`).expect(200);
    expect(body).toMatchObject({ status: 'pending', attempt: 0 });

    const { id: clientId } = await createClient(effects.services, cached.companyId);
    await cached.as.post('/api/invoices').send(invoiceInput(clientId)).expect(201);
    await cached.as.get('/api/invoices').expect(200);
    const download = await cached.as.get(pdf).expect(200);
    expect((download.body as Buffer).equals(before.body as Buffer)).toBe(true);
    const refused = await uncached.as.get(`/api/invoices/${uncached.invoice.id}/pdf`).expect(503);
    expect(refused.headers['retry-after']).toBeDefined();
    await effects.api.as().get('/readyz').expect(503);
    await effects.api.as().get('/healthz').expect(200);

    proxy.restore();
    await back();
    for (const response of [email, again, link]) expect((await ended(jobIdOf(response))).status).toBe('done');
    expect(await effects.messagesTo(uncached.clientEmail)).toHaveLength(1);
    expect(await effects.messagesTo(cached.clientEmail)).toHaveLength(1);
    expect(await effects.payable(cached.invoice.id)).toHaveLength(1);
    await uncached.as.get(`/api/invoices/${uncached.invoice.id}/pdf`).expect(200);
  });

  test('a job that runs at that time ends, and is not run again', async () => {
    const subject = await effects.invoice();
    await effects.gatewayFault({ mode: 'late', operation: 'create', delayMs: 300 });
    const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
    const jobId = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
    await eventually(() => effects.sandbox.faults.calls.create > 1);
    proxy.cut();
    expect((await ended(jobId)).status).toBe('done');
    proxy.restore();
    await back();
    expect(await effects.job(jobId)).toMatchObject({ status: 'done', attempt: 1 });
    expect(await effects.payable(subject.invoice.id)).toHaveLength(1);
  });
});

describe('connections to Redis that go silent without being closed', () => {
  test('are replaced: API and workers recover by themselves, and what was asked for meanwhile is done once', async () => {
    const subject = await effects.invoice();
    await effects.api.as().get('/readyz').expect(200);
    proxy.vanish();
    const jobId = jobIdOf(await sendEmail(subject).set('Prefer', 'respond-async').expect(202));
    await eventually(async () => (await effects.api.as().get('/readyz')).status === 200);
    expect((await ended(jobId)).status).toBe('done');
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
    // What announces the end of a job works again, too: the request does not wait in vain.
    const pdf = await subject.as.get(`/api/invoices/${subject.invoice.id}/pdf`);
    expect(pdf.status).toBe(200);
  });
});

describe('a Redis that has lost everything', () => {
  test('costs nothing: what waited is done once', async () => {
    const subject = await effects.invoice();
    const { redis } = (await openTestServices()).queues;
    const { stop } = await effects.startPool(['pdf']);
    await effects.mailFault({ mode: 'refuse', stage: 'mail', code: 451 });
    const jobId = jobIdOf(await sendEmail(subject).set('Prefer', 'respond-async').expect(202));
    await eventually(async () => (await effects.job(jobId)).attempt === 1);
    // All at once, as a restart without its data; the other test files keep theirs.
    const mine = `${effects.services.config.redisPrefix}*`;
    await redis.eval("for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end", 0, mine);
    // The failed attempt waits for its time in MySQL alone; the relay need not wait for it here.
    await eventually(async () => (await effects.job(jobId)).lastError);
    await Job.update({ relayAt: new Date(0) }, { where: { id: jobId } });
    expect((await ended(jobId)).status).toBe('done');
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
    await stop();
  });
});
