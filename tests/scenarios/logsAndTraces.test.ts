import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import supertest from 'supertest';
import { projectRoot } from '../../config/paths';
import { freePort } from '../../dev/servers/freePort';
import type { Services } from '../../shared/services';
import { eventually } from '../support/eventually';
import { createClient, createCompany, createInvoice } from '../support/factories';
import { atEnd, installation, openTestServices } from '../support/installation';
import type { LogLine } from '../support/logLines';
import { startOtlpReceiver, type ReceivedSpan } from '../support/otlpReceiver';
import { startApiProcess, startWorkerProcess, type ApiProcess, type WorkerProcess } from '../support/processes';

const secrets = {
  smtpPassword: 'planted-smtp-pa$$word',
  sendgridKey: 'SG.planted.sendgrid-key',
  gatewayKey: 'xnd_production_planted',
  callbackToken: 'planted-callback-token',
  wrongCallbackToken: 'planted-wrong-callback-token',
  operatorToken: 'planted-operator-token',
  wrongOperatorToken: 'planted-wrong-operator-token',
  otlpKey: 'planted-otlp-key',
  secretsKey: Buffer.alloc(32, 'planted-secrets-key').toString('base64'),
  endpointUrlToken: 'planted-token-in-the-url-of-an-endpoint',
  webhookSecret: 'whsec_cGxhbnRlZCB3ZWJob29rIHNlY3JldA',
  wrongKey: 'inv_planted-wrong-key-0123456789',
  goodAddress: 'planted-good@client.example',
  badAddress: 'planted.bad+1@client.example',
};

/** Servers outside that refuse, and quote in their replies whatever they know. */
let outside: { smtpUrl: string; httpUrl: string };
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
let services: Services;
let env: Record<string, string>;
let api: ApiProcess;
let worker: WorkerProcess;
let operatorUrl: string;
let token: string;
let companyId: number;
const processes: { log: () => string }[] = [];

beforeAll(async () => {
  services = await openTestServices();
  outside = { smtpUrl: await startMailServer(), httpUrl: await startQuotingServer() };
  receiver = await startOtlpReceiver();
  const operatorPort = await freePort();
  operatorUrl = `http://127.0.0.1:${operatorPort}`;
  env = {
    ...(await installation()),
    LOG_REQUESTS: 'all',
    SMTP_URL: outside.smtpUrl,
    SENDGRID_API_KEY: secrets.sendgridKey,
    SENDGRID_BASE_URL: outside.httpUrl,
    XENDIT_BASE_URL: outside.httpUrl,
    XENDIT_SECRET_KEY: secrets.gatewayKey,
    XENDIT_CALLBACK_TOKEN: secrets.callbackToken,
    OPERATOR_TOKEN: secrets.operatorToken,
    SECRETS_KEY: secrets.secretsKey,
    CHROME_ALLOW_NO_SANDBOX: 'true',
    JOB_WAIT_MS: '60000',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${secrets.otlpKey}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  [api, worker] = await Promise.all([
    startApiProcess({ ...env, OPERATOR_PORT: String(operatorPort) }),
    startWorkerProcess({ ...env, WORKER_QUEUES: 'email,pdf,payment-link' }),
  ]);
  processes.push(api, worker);
  ({ companyId, token } = await createCompany(services));
});

async function startMailServer(): Promise<string> {
  const server = new SMTPServer({
    disableReverseLookup: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 1,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onRcptTo: ({ address }, _session, done) => {
      const quoted = `<${address}> unknown; you are user:${secrets.smtpPassword}`;
      done(address === secrets.badAddress ? Object.assign(new Error(quoted), { responseCode: 550 }) : null);
    },
    onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  atEnd(() => new Promise<void>((resolve) => server.close(resolve)));
  const password = encodeURIComponent(secrets.smtpPassword);
  return `smtp://user:${password}@127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

/** Stands for SendGrid and the gateway: both read the reason in their own field. */
async function startQuotingServer(): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization = '' } = request.headers;
      const decoded = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
      const address = /planted[\w.+-]*@client\.example/.exec(body)?.[0] ?? 'no address';
      const message = `refused ${authorization} ${decoded} ${address} ${secrets.webhookSecret}`;
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error_code: 'REFUSED', message, errors: [{ message }] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function invoiceFor(email: string): Promise<number> {
  const client = await createClient(services, companyId, { email });
  return (await createInvoice(services, companyId, { clientId: client.id })).id;
}

/** Sends a request under an id. */
function post(path: string, requestId: string, bearer = token): supertest.Test {
  return supertest(api.url).post(path).set('Authorization', `Bearer ${bearer}`).set('X-Request-Id', requestId).send({});
}

const linesOf = ({ log }: { log: () => string }): LogLine[] =>
  log()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);

const spanOf = (traceId: string, name: string): Promise<ReceivedSpan> =>
  eventually(() => receiver.spans.find((span) => span.traceId === traceId && span.name === name));

test('one trace › reaches from the caller’s request over the job to the browser and the mail server', async () => {
  const [traceId, callerId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const id = await invoiceFor(secrets.goodAddress);
  await post(`/api/invoices/${id}/send-email`, 'traced').set('traceparent', `00-${traceId}-${callerId}-01`).expect(200);
  const [request, recorded, run, sent, render, print] = await Promise.all([
    spanOf(traceId, 'POST /api/invoices/{id}/send-email'),
    spanOf(traceId, 'record sendInvoiceEmail'),
    spanOf(traceId, 'run sendInvoiceEmail'),
    spanOf(traceId, 'send e-mail'),
    spanOf(traceId, 'run renderInvoicePdf'),
    spanOf(traceId, 'print PDF'),
  ]);
  const links = [request, recorded, run, sent, render, print].map(({ process, kind, parentSpanId }) => [
    process,
    kind,
    parentSpanId,
  ]);
  const [server, client, producer, consumer, internal] = [2, 3, 4, 5, 1];
  expect(links).toEqual([
    ['invoicing-api', server, callerId],
    ['invoicing-api', producer, request.spanId],
    ['invoicing-worker', consumer, recorded.spanId],
    ['invoicing-worker', client, expect.any(String)],
    ['invoicing-worker', consumer, expect.any(String)],
    ['invoicing-worker', internal, render.spanId],
  ]);
  // A run that is deferred until its PDF is rendered is followed by another one.
  const runs = receiver.spans.filter(({ name, parentSpanId }) => name === run.name && parentSpanId === recorded.spanId);
  const runIds = runs.map(({ spanId }) => spanId);
  expect(runIds).toContain(sent.parentSpanId);
  expect(runIds).toContain(render.parentSpanId);
  expect(request.attributes).toMatchObject({
    'http.route': '/api/invoices/{id}/send-email',
    'invoicing.request.id': 'traced',
  });
  const line = await eventually(() => linesOf(api).find(({ requestId }) => requestId === 'traced'));
  expect(line).toMatchObject({ trace_id: traceId, span_id: request.spanId });
});

test('a job that fails › has the id of its request on its lines, and the id of the trace', async () => {
  const id = await invoiceFor(secrets.badAddress);
  const requestId = randomUUID();
  await post(`/api/invoices/${id}/send-email`, requestId).expect(502);
  const line = await eventually(() => linesOf(worker).find((one) => one['requestId'] === requestId));
  const [{ id: jobId } = { id: 0 }] = await services.sql.rows<{ id: number }>(
    'SELECT id FROM jobs WHERE companyId = ? AND requestId = ?',
    [companyId, requestId],
  );
  const run = await eventually(() =>
    receiver.spans.find(
      ({ name, attributes }) => name.startsWith('run ') && Number(attributes['invoicing.job.id']) === jobId,
    ),
  );
  expect(line).toMatchObject({
    msg: 'a job failed for good',
    job: 'sendInvoiceEmail',
    jobId,
    companyId,
    attempt: expect.any(Number) as number,
    trace_id: run.traceId,
  });
  const sent = await spanOf(run.traceId, 'send e-mail');
  expect(sent).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'email_refused' } });
});

test('planted secrets and addresses › are in no output of any process, and in no trace', async () => {
  const id = await invoiceFor(secrets.badAddress);
  await post(`/api/invoices/${id}/create-gateway-invoice`, 'refused').expect(502);
  await post(`/api/invoices/${id}/send-email`, 'wrong-key', secrets.wrongKey).expect(401);
  const callback = supertest(api.url).post('/webhooks/gateway/xendit');
  await callback.set('x-callback-token', secrets.wrongCallbackToken).send({}).expect(401);
  const metrics = (bearer: string) => supertest(operatorUrl).get('/metrics').set('Authorization', `Bearer ${bearer}`);
  await metrics(secrets.operatorToken).expect(200);
  await metrics(secrets.wrongOperatorToken).expect(401);
  const endpointUrl = `https://receiver.example/${secrets.endpointUrlToken}`;
  const created = await post('/api/webhook-endpoints', 'endpoint').send({ url: endpointUrl }).expect(201);
  const rotated = await post(`${created.headers['location']}/rotate-secret`, 'rotated').expect(200);
  const ofEndpoint = [created, rotated].map(({ body }) => (body as { secret: string }).secret);
  // The other mail provider.
  await worker.end('SIGTERM');
  const second = await startWorkerProcess({ ...env, EMAIL_TRANSPORT: 'sendgrid', WORKER_QUEUES: 'email,pdf' });
  processes.push(second);
  await post(`/api/invoices/${id}/send-email`, 'sendgrid').expect(502);
  await eventually(() => linesOf(second).find(({ requestId }) => requestId === 'sendgrid'));
  await Promise.all([second.end('SIGTERM'), api.end('SIGTERM')]);

  const output = processes.map(({ log }) => log()).join('\n');
  // The servers outside have quoted what they know, and it was logged without the secrets.
  for (const quoted of [/you are user:\[Redacted\]/, /REFUSED/, /SendGrid refused/, /…@client\.example/]) {
    expect(output).toMatch(quoted);
  }
  const traces = receiver.bodies.join('\n');
  expect(traces).toContain('call gateway');
  const basic = Buffer.from(`${secrets.gatewayKey}:`).toString('base64');
  for (const secret of [
    ...Object.values(secrets),
    encodeURIComponent(secrets.smtpPassword),
    basic,
    token,
    ...ofEndpoint,
  ]) {
    expect([secret, output.includes(secret), traces.includes(secret)]).toEqual([secret, false, false]);
  }
});

test('without an endpoint › nothing of OpenTelemetry is loaded but its API, which the metrics use as well', async () => {
  const script = `
    const { startTracing } = require('./dist/shared/engine/trace/trace.js');
    const { loadConfig } = require('./dist/config/env.js');
    require('./dist/api/http/app.js');
    require('./dist/workers/registry.js');
    startTracing(loadConfig(), 'api').then(() =>
      console.log(Object.keys(require.cache).filter((file) => /@opentelemetry.(?!api.)/.test(file)).length));`;
  const off = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SDK_DISABLED: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: projectRoot, env: off });
  expect(stdout.trim()).toBe('0');
});
