import { inspect } from 'node:util';
import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { loadConfig } from '../../../config/env';
import type { Fault } from '../../../dev/sandboxGateway/Faults';
import { startSandboxGateway, type SandboxGateway } from '../../../dev/sandboxGateway/server';
import { GatewayRefused, GatewayUnavailable } from '../../../shared/engine/errors';
import { openGateways } from '../../../workers/gateways';
import type { XenditGateway } from '../../../workers/gateways/xendit';
import { requestOfNewLink } from '../../../workers/gateways/xenditInvoice';
import { eventually } from '../../support/eventually';
import { gatewayAt, newLink, secretKey, startServer } from './localGateway';

let sandbox: SandboxGateway;
let gateway: XenditGateway;

const hasty = { GATEWAY_TIMEOUT_MS: '500' };

beforeEach(async () => {
  sandbox = await startSandboxGateway({ secretKey, callbackToken: 'token' });
  gateway = gatewayAt(sandbox.url);
});

afterEach(() => sandbox.close());

const fault = (given: Partial<Fault>) =>
  sandbox.faults.add({
    ...{ mode: 'fail', operation: 'any', times: 1, status: 500, delayMs: 0, retryAfterSeconds: 1, work: false },
    ...given,
  });

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error('it should have failed')),
    (error: unknown) => error,
  );
}

const pay = (url: string, body = {}) =>
  fetch(`${url}/pay`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('a new link', () => {
  it('is made with what was asked for, and can be found, got and paid', async () => {
    const before = Date.now();
    const link = await gateway.createLink(newLink({ successUrl: 'https://acme.example.com/thanks' }));
    expect(link).toMatchObject({ reference: 'ref-1', status: 'pending', amount: '150000.00', currency: 'IDR' });
    expect(link).toMatchObject({ paidAmount: null, paidAt: null, paymentMethod: null });
    expect(link.expiresAt?.getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(link.expiresAt?.getTime()).toBeLessThan(before + 3_700_000);
    expect(sandbox.links.get(link.id)).toMatchObject({
      description: 'Invoice INV-1',
      payer_email: 'client@example.com',
      success_redirect_url: 'https://acme.example.com/thanks',
      should_send_email: false,
    });
    expect(await gateway.getLink(link.id)).toEqual(link);
    expect(await gateway.findLinks('ref-1')).toEqual([link]);

    await pay(link.url);
    const paid = await gateway.getLink(link.id);
    expect(paid).toMatchObject({ status: 'paid', paidAmount: '150000.00', paymentMethod: 'SANDBOX' });
    expect(paid?.paidAt?.getTime()).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['0.01', 'USD'],
    ['19.99', 'PHP'],
    ['4.35', 'USD'],
    ['9999999999999.99', 'EUR'],
    ['9007199254740.99', 'THB'],
  ])('of %s %s carries the amount to the cent, there and back', async (amount, currency) => {
    const link = await gateway.createLink(newLink({ amount, currency }));
    expect(link.amount).toBe(amount);
    expect((await gateway.getLink(link.id))?.amount).toBe(amount);
  });

  it('writes every amount of our range into the JSON text as the very decimal', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 999_999_999_999_999n), (cents) => {
        const amount = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
        const written = /"amount":([^,]+),/.exec(requestOfNewLink(newLink({ amount })) ?? '')?.[1] ?? '';
        const [whole = '', decimals = ''] = written.split('.');
        expect(`${whole}.${decimals.padEnd(2, '0')}`).toBe(amount);
      }),
    );
  });

  it.each(['10000000000000.00', '1.005', '-1.00', 'NaN', '1e3', ''])('of "%s" is refused unsent', async (amount) => {
    await expect(gateway.createLink(newLink({ amount }))).rejects.toBeInstanceOf(GatewayRefused);
    expect(sandbox.faults.calls.create).toBe(0);
  });

  it('shows what the provider made of the amount', async () => {
    expect((await gateway.createLink(newLink({ amount: '1000.99' }))).amount).toBe('1000.00');
  });
});

describe('finding links by reference', () => {
  it('gives all of them, in any state, and no others', async () => {
    const first = await gateway.createLink(newLink());
    await gateway.expireLink(first.id);
    const second = await gateway.createLink(newLink());
    await gateway.createLink(newLink({ reference: 'ref-10' }));
    const found = await gateway.findLinks('ref-1');
    expect(found.map(({ id, status }) => [id, status]).sort()).toEqual(
      [
        [first.id, 'expired'],
        [second.id, 'pending'],
      ].sort(),
    );
    expect(await gateway.findLinks('ref&limit=5')).toEqual([]);
  });

  it('gives no link of another reference, even if the provider does', async () => {
    const link = await gateway.createLink(newLink());
    const body = JSON.stringify([sandbox.links.get(link.id)]);
    const careless = await startServer((_request, response) => response.end(body));
    expect(await gatewayAt(careless.url).findLinks('another')).toEqual([]);
    await careless.close();
  });
});

describe('a link that the gateway does not know', () => {
  it('is null when asked for, whatever its id is', async () => {
    expect(await gateway.getLink('nobody')).toBeNull();
    expect(await gateway.getLink('../v2/invoices')).toBeNull();
  });

  it('cannot be expired', async () => {
    await expect(gateway.expireLink('nobody')).rejects.toBeInstanceOf(GatewayRefused);
  });
});

describe('expiring a link', () => {
  it('ends one that is pending, so that it cannot be paid', async () => {
    const link = await gateway.createLink(newLink());
    expect((await gateway.expireLink(link.id)).status).toBe('expired');
    expect((await pay(link.url)).status).toBe(409);
  });

  it('returns the link as it is when it was paid before', async () => {
    const link = await gateway.createLink(newLink());
    await pay(link.url, { amount: 100 });
    expect(await gateway.expireLink(link.id)).toMatchObject({ status: 'paid', paidAmount: '100.00' });
  });

  it('returns the same when repeated', async () => {
    const link = await gateway.createLink(newLink());
    await gateway.expireLink(link.id);
    expect((await gateway.expireLink(link.id)).status).toBe('expired');
  });

  it('fails when the gateway refuses and the link is still pending', async () => {
    const link = await gateway.createLink(newLink());
    fault({ operation: 'expire', status: 400 });
    await expect(gateway.expireLink(link.id)).rejects.toBeInstanceOf(GatewayRefused);
  });
});

describe('a refusal', () => {
  it('for a wrong key names the problem and never the key', async () => {
    const error = await errorOf(gatewayAt(sandbox.url, { XENDIT_SECRET_KEY: 'xnd_wrong' }).createLink(newLink()));
    expect(error).toBeInstanceOf(GatewayRefused);
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining('key') as string });
    expect(inspect(error, { depth: 10 })).not.toMatch(/xnd_wrong|eG5kX3dyb25n/);
  });

  it('for a missing permission is about the key too', async () => {
    fault({ status: 403 });
    await expect(gateway.findLinks('ref-1')).rejects.toThrow(/key.*403/);
  });

  it('for invalid fields says which', async () => {
    const error = await errorOf(gateway.createLink(newLink({ currency: 'XXQ' })));
    expect(error).toBeInstanceOf(GatewayRefused);
    expect((error as Error).message).toMatch(/400 API_VALIDATION_ERROR.*currency/);
  });

  it('is also what a redirect is, which would take the key elsewhere', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startServer((request, response) => {
      seen.push(request.url);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });
    await expect(gatewayAt(server.url).createLink(newLink())).rejects.toBeInstanceOf(GatewayRefused);
    expect(seen).toEqual(['/v2/invoices']);
    await server.close();
  });
});

describe('a gateway that cannot now', () => {
  it('has an unknown outcome when it fails to create', async () => {
    fault({ status: 502, work: true });
    const error = await errorOf(gateway.createLink(newLink()));
    expect(error).toBeInstanceOf(GatewayUnavailable);
    expect(error).toMatchObject({ outcomeUnknown: true, retryable: true, retryAfterMs: null });
    expect(await gateway.findLinks('ref-1')).toHaveLength(1);
  });

  it('has no unknown outcome when it fails to read', async () => {
    fault({ status: 503, times: 2 });
    expect(await errorOf(gateway.getLink('x'))).toMatchObject({ outcomeUnknown: false, retryable: true });
    expect(await errorOf(gateway.findLinks('x'))).toMatchObject({ outcomeUnknown: false, retryable: true });
  });

  it('says how long to leave it alone when it gets too many requests', async () => {
    fault({ status: 429, retryAfterSeconds: 7 });
    const error = await errorOf(gateway.createLink(newLink()));
    expect(error).toBeInstanceOf(GatewayUnavailable);
    expect(error).toMatchObject({ outcomeUnknown: false, retryAfterMs: 7000 });
    expect(await gateway.findLinks('ref-1')).toEqual([]);
  });

  it.each([
    ['seconds', { 'Rate-Limit-Reset': '30' }, 30_000, 30_000],
    ['a point in time', { 'Rate-Limit-Reset': String(Math.ceil(Date.now() / 1000) + 40) }, 25_000, 41_000],
    ['a date', { 'Retry-After': new Date(Date.now() + 50_000).toUTCString() }, 30_000, 50_000],
    ['nonsense', { 'Retry-After': 'soon' }, 1_000, 1_000],
    ['nothing', {}, 1_000, 1_000],
  ])('is left alone as its headers say, or for a second, here %s', async (_name, headers, least, most) => {
    const server = await startServer((_request, response) => response.writeHead(429, headers).end('{}'));
    const { retryAfterMs } = (await errorOf(gatewayAt(server.url).getLink('x'))) as GatewayUnavailable;
    expect(retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(retryAfterMs).toBeLessThanOrEqual(most);
    await server.close();
  });

  it('has a known outcome when the connection was refused', async () => {
    await sandbox.close();
    const error = await errorOf(gateway.createLink(newLink()));
    expect(error).toMatchObject({ outcomeUnknown: false, retryable: true });
    sandbox = await startSandboxGateway({ secretKey, callbackToken: 'token' });
  });

  it('has a known outcome when its host is not found', async () => {
    const error = await errorOf(gatewayAt('http://no-such-host.invalid').createLink(newLink()));
    expect(error).toBeInstanceOf(GatewayUnavailable);
    expect(error).toMatchObject({ outcomeUnknown: false });
  });
});

describe('a gateway that does not respond', () => {
  it('is given up after the time-out, with an unknown outcome', async () => {
    fault({ mode: 'hang' });
    const error = await errorOf(gatewayAt(sandbox.url, hasty).createLink(newLink()));
    expect(error).toMatchObject({ outcomeUnknown: true, message: expect.stringContaining('in time') as string });
  });

  it('made the link all the same when its response comes late', async () => {
    fault({ mode: 'late', delayMs: 3000, work: true });
    expect(await errorOf(gatewayAt(sandbox.url, hasty).createLink(newLink()))).toMatchObject({ outcomeUnknown: true });
    expect(await gateway.findLinks('ref-1')).toHaveLength(1);
  });

  it('made the link all the same when the connection breaks', async () => {
    fault({ mode: 'break', work: true });
    expect(await errorOf(gateway.createLink(newLink()))).toMatchObject({ outcomeUnknown: true });
    expect(await gateway.findLinks('ref-1')).toHaveLength(1);
    expect(sandbox.faults.calls.create).toBe(1);
  });

  it('has an unknown outcome when the body of its response stops in the middle', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{"id":');
    });
    expect(await errorOf(gatewayAt(server.url, hasty).createLink(newLink()))).toMatchObject({ outcomeUnknown: true });
    await server.close();
  });

  it('is not waited for when the caller gives up', async () => {
    fault({ mode: 'hang' });
    const patient = gatewayAt(sandbox.url, { GATEWAY_TIMEOUT_MS: '60000' });
    const caller = new AbortController();
    const error = errorOf(patient.createLink(newLink(), { companyId: 1, signal: caller.signal }));
    await eventually(() => sandbox.faults.calls.create === 1);
    caller.abort();
    expect(await error).toMatchObject({ code: 'gateway_unavailable', outcomeUnknown: true });
  });
});

describe('a response that cannot be trusted', () => {
  const good = {
    ...{ id: 'a1', external_id: 'ref-1', status: 'PENDING', amount: 1, currency: 'IDR' },
    invoice_url: 'https://pay.example.com/a1',
  };

  it.each([
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', JSON.stringify([good])],
    ['no id', JSON.stringify({ ...good, id: undefined })],
    ['an unknown status', JSON.stringify({ ...good, status: 'CONFUSED' })],
    ['an amount that is text', JSON.stringify({ ...good, amount: '1' })],
    ['a script as its URL', JSON.stringify({ ...good, invoice_url: 'javascript:alert(1)' })],
    ['a URL that breaks out of a page', JSON.stringify({ ...good, invoice_url: 'https://x/"><script>' })],
    ['a time that is none', JSON.stringify({ ...good, expiry_date: 'tomorrow' })],
  ])('(%s) leaves the outcome of a create unknown', async (_name, body) => {
    const respond: RequestListener = (_request, response) => response.end(body);
    const server = await startServer(respond);
    const odd = gatewayAt(server.url);
    expect(await errorOf(odd.createLink(newLink()))).toMatchObject({ outcomeUnknown: true, retryable: true });
    expect(await errorOf(odd.getLink('a1'))).toMatchObject({ outcomeUnknown: false, retryable: true });
    await server.close();
  });
});

it('is opened only with a key', () => {
  const openedWith = (XENDIT_SECRET_KEY: string): string[] =>
    openGateways(loadConfig({ XENDIT_SECRET_KEY }).gateway).all.map(({ provider }) => provider);
  expect([openedWith(''), openedWith(secretKey)]).toEqual([[], ['xendit']]);
});

it('reuses connections for calls that follow each other', async () => {
  const ports = new Set<number | undefined>();
  const server = await startServer((request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(404).end('{}');
  });
  for (let call = 0; call < 5; call += 1) await gatewayAt(server.url).getLink('x');
  expect(ports.size).toBeLessThan(5);
  await server.close();
});
