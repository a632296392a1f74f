import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandboxGateway, type SandboxGateway } from '../../../dev/sandboxGateway/server';
import { parseCallback } from '../../../shared/paymentLinks/gateways/xendit';
import { eventually } from '../../support/eventually';
import { gatewayAt, newLink, secretKey, startServer } from '../../workers/gateways/localGateway';

let sandbox: SandboxGateway;
const closing: (() => Promise<void>)[] = [];

const options = { secretKey, callbackToken: 'callback-token' };

beforeEach(async () => {
  sandbox = await startSandboxGateway({ ...options, callbackRetryDelaysMs: [20, 20] });
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await sandbox.close();
});

const authorization = `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`;

function send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { Authorization: authorization, 'Content-Type': 'application/json', ...headers };
  return fetch(sandbox.url + path, {
    method,
    headers: all,
    redirect: 'manual',
    body: body ? JSON.stringify(body) : null,
  });
}

const control = (body: object) => send('PUT', '/control', body);

/** A receiver of callbacks that responds to them in turn with these statuses, with 200 from then on. */
async function receiver(...statuses: number[]) {
  const received: { headers: IncomingMessage['headers']; body: unknown }[] = [];
  const server = await startServer((request, response) => {
    void json(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  closing.push(() => server.close());
  sandbox.setCallbackUrl(`${server.url}/webhooks/gateway`);
  return received;
}

describe('the API of the provider', () => {
  it('responds with 401 and the provider’s error shape to another key and to none', async () => {
    for (const Authorization of ['Basic d3Jvbmc6', '']) {
      const response = await send('GET', '/v2/invoices', undefined, { Authorization });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        error_code: 'INVALID_API_KEY',
        message: expect.any(String) as string,
      });
    }
  });

  it.each([
    ['no amount', { external_id: 'a' }],
    ['an amount of 0', { external_id: 'a', amount: 0 }],
    ['an amount that is text', { external_id: 'a', amount: '10' }],
    ['no reference', { amount: 10 }],
    ['a currency that is none', { external_id: 'a', amount: 10, currency: 'XYZ' }],
  ])('responds with 400 to %s', async (_name, body) => {
    const response = await send('POST', '/v2/invoices', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'API_VALIDATION_ERROR' });
  });

  it('cuts the decimals of rupiahs off, and only theirs', async () => {
    const rupiah = await send('POST', '/v2/invoices', { external_id: 'a', amount: 10.99 });
    const dollar = await send('POST', '/v2/invoices', { external_id: 'a', amount: 10.99, currency: 'USD' });
    expect(await rupiah.json()).toMatchObject({ amount: 10, currency: 'IDR' });
    expect(await dollar.json()).toMatchObject({ amount: 10.99, currency: 'USD' });
  });

  it('makes two links for one reference, as the provider does', async () => {
    await send('POST', '/v2/invoices', { external_id: 'a', amount: 10 });
    await send('POST', '/v2/invoices', { external_id: 'a', amount: 10 });
    expect(await (await send('GET', '/v2/invoices?external_id=a')).json()).toHaveLength(2);
    expect(await (await send('GET', '/v2/invoices?external_id=b')).json()).toHaveLength(0);
  });

  it('ends a link by itself when its time is over', async () => {
    const link = await gatewayAt(sandbox.url).createLink(newLink({ durationSeconds: 1 }));
    await sleep(1050);
    expect((await gatewayAt(sandbox.url).getLink(link.id))?.status).toBe('expired');
    expect((await fetch(`${link.url}/pay`, { method: 'POST' })).status).toBe(409);
  });
});

describe('the page to pay on', () => {
  it('shows what is to be paid, with what callers wrote as text and not as markup', async () => {
    const description = '<script>alert(1)</script>';
    const link = await gatewayAt(sandbox.url).createLink(newLink({ description, amount: '1500000.00' }));
    const page = await (await fetch(link.url)).text();
    expect(page).toContain('>IDR\u00a01,500,000.00<');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain(description);
    expect(page).toContain(`action="/web/${link.id}/pay"`);
  });

  it('takes a browser back to itself after paying, and then says so', async () => {
    const link = await gatewayAt(sandbox.url).createLink(newLink());
    const paid = await send('POST', `/web/${link.id}/pay`, undefined, { Accept: 'text/html,*/*;q=0.8' });
    expect([paid.status, paid.headers.get('location')]).toEqual([303, `/web/${link.id}`]);
    expect(await (await fetch(link.url)).text()).toContain('Paid on');
    expect((await fetch(`${link.url}/pay`, { method: 'POST' })).status).toBe(409);
  });

  it('is 404 for a link that nobody made', async () => {
    expect((await fetch(`${sandbox.url}/web/nothing`)).status).toBe(404);
    expect((await fetch(`${sandbox.url}/web/nothing/pay`, { method: 'POST' })).status).toBe(404);
  });

  it('is under the public address when there is one', async () => {
    const behind = await startSandboxGateway({ ...options, publicUrl: 'https://pay.example.com' });
    closing.push(() => behind.close());
    const link = await gatewayAt(behind.url).createLink(newLink());
    expect(link.url).toBe(`https://pay.example.com/web/${link.id}`);
  });
});

describe('the callback', () => {
  it('comes after a payment, with the token, and is what our parser reads', async () => {
    const received = await receiver();
    const link = await gatewayAt(sandbox.url).createLink(newLink());
    await fetch(`${link.url}/pay`, { method: 'POST' });
    await eventually(() => received.length === 1);
    expect(received[0]?.headers['x-callback-token']).toBe('callback-token');
    expect(received[0]?.body).toMatchObject({ paid_amount: 150_000, currency: 'IDR', payment_method: 'BANK_TRANSFER' });
    expect(parseCallback(received[0]?.body)).toMatchObject({ gatewayId: link.id, reference: 'ref-1', status: 'paid' });
  });

  it('is repeated until the response is a success, and no longer', async () => {
    const received = await receiver(500, 503);
    const link = await gatewayAt(sandbox.url).createLink(newLink());
    await fetch(`${link.url}/pay`, { method: 'POST' });
    await eventually(() => received.length === 3);
    await sleep(60);
    expect(received).toHaveLength(3);
    const { callbacks } = (await (await send('GET', '/links')).json()) as { callbacks: unknown[] };
    expect(callbacks).toEqual([{ linkId: link.id, status: 'PAID', answers: [500, 503, 200], delivered: true }]);
  });

  it('does not come while callbacks are switched off, and can be sent later, more than once', async () => {
    const received = await receiver();
    await control({ callbacks: false });
    const link = await gatewayAt(sandbox.url).createLink(newLink());
    await fetch(`${link.url}/pay`, { method: 'POST' });
    await sleep(60);
    expect(received).toHaveLength(0);
    await send('POST', `/links/${link.id}/callback`);
    await send('POST', `/links/${link.id}/callback`);
    expect(received).toHaveLength(2);
  });
});

describe('PUT /control', () => {
  const create = (signal?: AbortSignal) =>
    fetch(`${sandbox.url}/v2/invoices`, {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify({ external_id: 'a', amount: 10 }),
      signal: signal ?? null,
    });
  const links = () => sandbox.links.all().length;

  it('makes so many calls of one operation fail, and no others', async () => {
    await control({ mode: 'fail', operation: 'create', times: 2, status: 503 });
    expect((await send('GET', '/v2/invoices')).status).toBe(200);
    expect([(await create()).status, (await create()).status, (await create()).status]).toEqual([503, 503, 200]);
    expect(links()).toBe(1);
  });

  it('makes a call fail that was carried out', async () => {
    await control({ mode: 'fail', work: true });
    expect((await create()).status).toBe(500);
    expect(links()).toBe(1);
  });

  it('makes a call hang that is not carried out', async () => {
    await control({ mode: 'hang' });
    await expect(create(AbortSignal.timeout(150))).rejects.toThrow();
    expect(links()).toBe(0);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('makes a response come late, the work being done %s the delay', async (_name, work) => {
    await control({ mode: 'late', delayMs: 200, work });
    const begun = Date.now();
    expect((await create()).status).toBe(200);
    const made = Date.parse(sandbox.links.all()[0]?.created ?? '');
    expect(work ? Date.now() - made : made - begun).toBeGreaterThanOrEqual(195);
    expect(links()).toBe(1);
  });

  it('makes a connection break off after the link was made', async () => {
    await control({ mode: 'break', operation: 'any' });
    await expect(create()).rejects.toThrow();
    expect(links()).toBe(1);
  });

  it('takes faults in the order in which they were asked for', async () => {
    await control({ mode: 'fail', status: 500 });
    await control({ mode: 'fail', status: 429, retryAfterSeconds: 3 });
    expect((await create()).status).toBe(500);
    const limited = await create();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
    expect(limited.headers.get('rate-limit-remaining')).toBe('0');
  });

  it('forgets the faults, the counts and the switch on reset', async () => {
    await control({ mode: 'fail', times: 100, callbacks: false });
    await create();
    const state = await (await control({ reset: true })).json();
    expect(state).toEqual({ faults: [], callbacks: true, calls: { create: 0, get: 0, list: 0, expire: 0 } });
    expect(await (await send('GET', '/control')).json()).toEqual(state);
  });

  it.each([{ mode: 'explode' }, { times: 0 }, { status: 200 }, { operation: 'pay' }, { unknown: true }, { mode: 1 }])(
    'refuses %j',
    async (body) => {
      expect((await control(body)).status).toBe(400);
    },
  );
});

it('counts the calls of each operation', async () => {
  const gateway = gatewayAt(sandbox.url);
  const { id } = await gateway.createLink(newLink());
  await gateway.getLink(id);
  await gateway.findLinks('ref-1');
  await gateway.findLinks('ref-1');
  await gateway.expireLink(id);
  const { calls } = (await (await send('GET', '/links')).json()) as { calls: unknown };
  expect(calls).toEqual({ create: 1, get: 1, list: 2, expire: 1 });
});

it('keeps its links over a restart when it has a file, until they are deleted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  closing.push(() => rm(folder, { recursive: true }));
  const dataFile = join(folder, 'deep', 'links.json');

  const first = await startSandboxGateway({ ...options, dataFile });
  const made = await Promise.all(
    [1, 2, 3].map((n) => gatewayAt(first.url).createLink(newLink({ reference: `r${n}` }))),
  );
  await fetch(`${made[0]?.url}/pay`, { method: 'POST' });
  await first.close();

  const second = await startSandboxGateway({ ...options, dataFile });
  closing.push(() => second.close());
  expect(second.links.all().map(({ external_id, status }) => [external_id, status])).toEqual([
    ['r1', 'PAID'],
    ['r2', 'PENDING'],
    ['r3', 'PENDING'],
  ]);
  await fetch(`${second.url}/links`, { method: 'DELETE' });
  await second.links.flush();
  expect(JSON.parse(await readFile(dataFile, 'utf8'))).toEqual([]);
});
