import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { InvoicingClient } from '../../clients/typescript/src';
import { projectRoot } from '../../config/paths';
import { freePort } from '../../dev/servers/freePort';
import type { Services } from '../../shared/services';
import { eventually } from '../support/eventually';
import { createClient, createCompany, createInvoice, createKey } from '../support/factories';
import { atEnd, installation, openTestServices } from '../support/installation';
import { compileClient } from '../support/packedClient';
import { startApiProcess, startWorkerProcess } from '../support/processes';

interface State {
  after: number;
  paid: string[];
}

const folder = mkdtempSync(join(tmpdir(), 'invoicing-consumer-'));
const stateFile = join(folder, 'state.json');
let services: Services;
let companyId: number;
let client: InvoicingClient;
let apiUrl: string;
let consumerUrl: string;
let endpoint: { id: number; secret: string };
let consumer: ChildProcess;

/** Writes the programs of the page, as they stand there. */
function writeDocumentedPrograms(): void {
  const page = readFileSync(join(projectRoot, 'docs/integrate.md'), 'utf8');
  const programs = [...page.matchAll(/^```js\n(.+?)^```/gms)].map(([, program = '']) => program);
  expect(programs).toHaveLength(3);
  for (const [index, name] of ['work', 'follow', 'consumer'].entries())
    writeFileSync(join(folder, `${name}.mjs`), programs[index] ?? '');
}

/** Starts `follow.mjs` or `consumer.mjs`, and waits for what it prints first. */
async function startConsumer(program = 'consumer'): Promise<void> {
  const { token: reader } = await createKey(services, companyId, { scopes: ['read'] });
  const port = new URL(consumerUrl).port;
  const env = {
    BASE_URL: apiUrl,
    API_TOKEN: reader,
    WEBHOOK_SECRET: endpoint.secret,
    STATE_FILE: stateFile,
    PORT: port,
  };
  consumer = fork(join(folder, `${program}.mjs`), { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(consumer.stdout!, 'data');
}

async function stopConsumer(): Promise<void> {
  if (consumer.exitCode !== null || consumer.signalCode !== null) return;
  consumer.kill('SIGKILL');
  await once(consumer, 'exit');
}

beforeAll(async () => {
  services = await openTestServices();
  const env = { ...(await installation()), WEBHOOK_ALLOW_PRIVATE: 'true' };
  const [api] = await Promise.all([startApiProcess(env), startWorkerProcess({ ...env, WORKER_QUEUES: 'webhook' })]);
  apiUrl = api.url;
  consumerUrl = `http://127.0.0.1:${await freePort()}/`;
  const company = await createCompany(services);
  ({ companyId } = company);
  client = new InvoicingClient({ baseUrl: apiUrl, apiKey: company.token });
  writeDocumentedPrograms();
  await compileClient(folder);
  endpoint = await client.createWebhookEndpoint({ body: { url: consumerUrl } });
  atEnd(async () => {
    await stopConsumer();
    rmSync(folder, { recursive: true, force: true });
  });
});

let orders = 0;

/** Makes an invoice that is paid. Returns how the consumer notes it. */
async function pay(): Promise<string> {
  const { id: clientId } = await createClient(services, companyId);
  const details = { externalId: `order-${(orders += 1)}` };
  await createInvoice(services, companyId, { clientId, status: 'paid', details });
  return `${details.externalId} 220.00 IDR`;
}

/** Resolves when every event has its place in the feed, so that `latest` is behind it. */
const numbered = (): Promise<unknown> =>
  eventually(async () => (await services.sql.rows('SELECT id FROM events WHERE seq IS NULL LIMIT 1')).length === 0);

const state = (): State => JSON.parse(readFileSync(stateFile, 'utf8')) as State;
const paidAre = (paid: readonly string[]): Promise<true> =>
  eventually(() => existsSync(stateFile) && state().paid.length >= paid.length).then(() => {
    expect(state().paid).toEqual(paid);
    return true;
  });

/** Sends the consumer what looks like an event. Returns the status of its response. */
async function send(event: object, by: string, at = new Date()): Promise<number> {
  const body = JSON.stringify({ type: 'invoice.paid', timestamp: at.toISOString(), data: event });
  const { status } = await fetch(consumerUrl, {
    method: 'POST',
    body,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(by).sign('evt_1', at, body),
    },
  });
  return status;
}

/** Sends the beginning of more than a mebibyte. Returns the status of the response. */
function sendLarge(): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(consumerUrl, { method: 'POST', headers: { 'Content-Length': 2_000_000 } });
    sent.on('response', ({ statusCode }) => {
      sent.destroy();
      resolve(statusCode);
    });
    sent.on('error', reject).write('x');
  });
}

const forged = {
  id: Number.MAX_SAFE_INTEGER,
  type: 'invoice.paid',
  data: { invoiceNumber: 'FORGED', total: '1.00', currency: 'IDR' },
};

describe('the program of docs/integrate.md that follows the feed', () => {
  afterAll(() => rmSync(stateFile, { force: true }));

  test('leaves what was before its first start, and has what was before its second, each once', async () => {
    await pay();
    await numbered();
    await startConsumer('follow');
    const paid = [await pay(), await pay()];
    await paidAre(paid);
    await stopConsumer();
    paid.push(await pay());
    await startConsumer('follow');
    paid.push(await pay());
    await paidAre(paid);
    await stopConsumer();
  });
});

describe('the consumer of docs/integrate.md', () => {
  const paid: string[] = [];

  test('leaves what was before it, and then handles each event when its webhook arrives', async () => {
    await startConsumer();
    for (let payment = 0; payment < 5; payment += 1) paid.push(await pay());
    await paidAre(paid);
  });

  test('killed › after its start has what happened meanwhile, in order, and everything once', async () => {
    await stopConsumer();
    for (let payment = 0; payment < 5; payment += 1) paid.push(await pay());
    await startConsumer();
    await paidAre(paid);
    paid.push(await pay());
    await paidAre(paid);
  });

  test('a replay of everything › changes nothing', async () => {
    const body = { after: 0, until: state().after };
    const { deliveries } = (await client.sendWebhookEventsAgain({ path: endpoint, body })).data;
    expect(deliveries).toBeGreaterThan(paid.length);
    await eventually(async () => {
      const query = { status: 'delivered', limit: 100 } as const;
      const { data } = await client.listWebhookDeliveries({ path: endpoint, query });
      return data.filter(({ isReplay }) => isReplay).length === deliveries;
    });
    expect(state().paid).toEqual(paid);
  });

  test('forged, altered and old webhooks › get 401 and change nothing; a genuine one is no event by itself', async () => {
    expect(await send(forged, `whsec_${Buffer.alloc(32, 'wrong').toString('base64')}`)).toBe(401);
    expect(await send(forged, endpoint.secret, new Date(Date.now() - 600_000))).toBe(401);
    expect((await fetch(consumerUrl, { method: 'POST', body: JSON.stringify(forged) })).status).toBe(401);
    expect(await sendLarge()).toBe(413);
    expect(await send(forged, endpoint.secret)).toBe(204);
    expect(state().paid).toEqual(paid);
  });
});
