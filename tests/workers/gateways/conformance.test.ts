import type { Fault } from '../../../dev/sandboxGateway/Faults';
import { startSandboxGateway, type SandboxGateway } from '../../../dev/sandboxGateway/server';
import { providerVariables } from '../../../dev/launcher/environment';
import { loadConfig } from '../../../config/env';
import { providerNames, type ProviderName } from '../../../config/paymentProviders';
import { GatewayRefused, GatewayUnavailable } from '../../../shared/engine/errors';
import { gatewayRules } from '../../../shared/paymentLinks';
import { type Gateway, type GatewayLink, openGateways } from '../../../workers/gateways';
import { Snooze } from '../../../workers/jobs/JobRun';
import { newLink, startServer } from './localGateway';

const secretKey = 'very-secret-key';
const callbackToken = 'very-secret-token';

/** What every payment provider's adapter guarantees, whatever its API is like. */
describe.each(providerNames)('the adapter of %s', (provider) => {
  let sandbox: SandboxGateway;
  let gateway: Gateway;

  beforeEach(async () => {
    sandbox = await startSandboxGateway({ secretKey, callbackToken });
    gateway = gatewayAt(provider, sandbox.url);
  });
  afterEach(() => sandbox.close());

  const create = (changes = {}, calledBefore = false): Promise<GatewayLink> =>
    gateway.findOrCreateLink(newLink({ ...inUsd, ...changes }), { calledBefore });
  const linksOf = (gatewayId: string | null, reference = 'ref-1'): Promise<GatewayLink[]> =>
    gateway.linksOf({ ...newLink({ reference }), gatewayId });
  const fault = (given: Partial<Fault>): void =>
    sandbox.faults.add({
      ...{ mode: 'fail', operation: 'any', times: 1, status: 500, delayMs: 0, retryAfterSeconds: 1, work: false },
      ...given,
    });

  test('a new link › asks for the amount, names our reference, and is found again', async () => {
    const link = await create({ successUrl: 'https://acme.example.com/thanks' });
    expect(link).toMatchObject({ reference: 'ref-1', status: 'pending', amount: '19.99', currency: 'USD' });
    expect(link).toMatchObject({ paidAmount: null, paidAt: null, paymentMethod: null });
    expect((await fetch(link.url)).status).toBe(200);
    expect(await linksOf(link.id)).toEqual([link]);
    expect(await linksOf(null)).toEqual([link]);
    expect(await linksOf(null, 'another')).toEqual([]);
    expect(sandbox.links.get(link.id)).toMatchObject({ success_redirect_url: 'https://acme.example.com/thanks' });
  });

  test('a call whose response is lost › is found, not made again', async () => {
    fault({ mode: 'break', operation: 'create', work: true });
    expect(await errorOf(create())).toMatchObject({ outcomeUnknown: true });
    const link = await create({}, true);
    expect(sandbox.links.all()).toHaveLength(1);
    expect(await linksOf(null)).toEqual([link]);
  });

  test('a call that was not carried out › is made by the next', async () => {
    fault({ mode: 'break', operation: 'create', work: false });
    expect(await errorOf(create())).toMatchObject({ outcomeUnknown: true });
    await create({}, true);
    expect(sandbox.links.all()).toHaveLength(1);
  });

  test('an open link › is expired, and is so again', async () => {
    const { id } = await create();
    expect(await gateway.expireLink(id)).toMatchObject({ id, status: 'expired' });
    expect(await gateway.expireLink(id)).toMatchObject({ id, status: 'expired' });
    expect(await linksOf(id)).toMatchObject([{ status: 'expired' }]);
    expect(await create({ reference: 'ref-2' }, true)).toMatchObject({ status: 'pending' });
  });

  test('a payer who has the page open when its link is expired › cannot pay any more', async () => {
    const { id, url } = await create();
    await fetch(url);
    await gateway.expireLink(id);
    expect((await pay(url)).status).toBe(409);
  });

  test('a paid link › says what, when and how; to expire it changes nothing', async () => {
    const before = Date.now();
    const { id, url } = await create();
    await pay(url);
    const [link] = await linksOf(id);
    expect(link).toMatchObject({ status: 'paid', paidAmount: '19.99', currency: 'USD' });
    expect(link?.paymentMethod).not.toBeNull();
    expect(Math.abs((link?.paidAt?.getTime() ?? 0) - before)).toBeLessThan(60_000);
    expect(await gateway.expireLink(id)).toEqual(link);
  });

  test('a payment of another amount › is what was paid', async () => {
    const { id, url } = await create();
    await pay(url, { amount: 5 });
    expect(await linksOf(id)).toMatchObject([{ status: 'paid', paidAmount: '5.00', amount: '19.99' }]);
  });

  test.each([
    ['JPY', '1050.50', '1051.00'],
    ['USD', '0.50', '0.50'],
    ['KWD', '12.34', '12.34'],
    ['EUR', '9999999.99', '9999999.99'],
    ['ISK', '99.50', '100.00'],
    ['UGX', '4999.49', '4999.00'],
  ])('an amount in %s › of %s is charged as %s, there and back', async (currency, total, charged) => {
    const amount = gatewayRules(provider).gatewayAmount(total, currency);
    expect(amount).toBe(charged);
    const { id, url } = await create({ amount, currency });
    await pay(url);
    expect(await linksOf(id)).toMatchObject([{ amount: charged, paidAmount: charged, currency }]);
  });

  test('nothing to pay › is refused without a call', async () => {
    expect(await errorOf(create({ amount: '0.00' }))).toBeInstanceOf(GatewayRefused);
    expect(sandbox.faults.calls.create).toBe(0);
  });

  test('a wrong key › is refused, and named as the reason', async () => {
    gateway = gatewayAt(provider, sandbox.url, { secretKey: 'another' });
    const error = await errorOf(create());
    expect(error).toBeInstanceOf(GatewayRefused);
    expect(String(error)).toContain('does not accept the configured key');
    expect(String(error)).not.toContain('another');
  });

  test('an unknown id › is refused', async () => {
    expect(await errorOf(gateway.expireLink('of-nobody'))).toBeInstanceOf(GatewayRefused);
  });

  test('429 › says when the next call may begin, and that nothing was made', async () => {
    fault({ status: 429, retryAfterSeconds: 7 });
    expect(await errorOf(create())).toMatchObject({ outcomeUnknown: false, retryAfterMs: 7_000 });
  });

  test.each([500, 502, 503])('%d › is unavailable, with an unknown outcome where something changes', async (status) => {
    const { id } = await create();
    fault({ status, operation: 'expire' });
    expect(await errorOf(gateway.expireLink(id))).toMatchObject({ outcomeUnknown: true });
    fault({ status });
    const error = await errorOf(linksOf(id));
    expect(error).toBeInstanceOf(GatewayUnavailable);
  });

  test('no response in time › is unavailable, with an unknown outcome', async () => {
    gateway = gatewayAt(provider, sandbox.url, { timeoutMs: '300' });
    fault({ mode: 'hang', operation: 'create' });
    expect(await errorOf(create())).toMatchObject({ outcomeUnknown: true });
  });

  test('a caller that gives up › ends the call', async () => {
    fault({ mode: 'hang', operation: 'create' });
    const caller = { companyId: 1, signal: AbortSignal.timeout(100) };
    const error = await errorOf(gateway.findOrCreateLink(newLink(inUsd), { calledBefore: false, caller }));
    expect(error).toBeInstanceOf(GatewayUnavailable);
  });

  test.each([
    ['a body that is cut off', '{"id": "x", '],
    ['an empty body', ''],
    ['something else', '{"id": 7, "data": {}}'],
    ['a page', '<html></html>'],
  ])('%s › is not understood, and nothing is invented', async (_what, body) => {
    const server = await startServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(body);
    });
    gateway = gatewayAt(provider, server.url);
    expect(await errorOf(create())).toMatchObject({ outcomeUnknown: true });
    expect(await errorOf(linksOf('x'))).toBeInstanceOf(GatewayUnavailable);
    await server.close();
  });

  test('a server that nobody listens at › is unreachable, and nothing was made', async () => {
    const server = await startServer(() => undefined);
    await server.close();
    gateway = gatewayAt(provider, server.url);
    expect(await errorOf(create())).toMatchObject({ outcomeUnknown: false });
  });

  test('the rate limit › is waited for before each call', async () => {
    const throttle = jest.fn(() => Promise.resolve());
    gateway = openGateways(settingsOf(provider, sandbox.url), throttle).of(provider);
    const { id } = await create();
    await gateway.expireLink(id);
    const { create: made, get, list, expire } = sandbox.faults.calls;
    expect(throttle).toHaveBeenCalledTimes(made + get + list + expire);
  });

  test('a rate limit that refuses a call › throws, and nothing is sent', async () => {
    const snooze = new Snooze(new Date());
    gateway = openGateways(settingsOf(provider, sandbox.url), () => Promise.reject(snooze)).of(provider);
    expect(await errorOf(create())).toBe(snooze);
    expect(await errorOf(linksOf('x'))).toBe(snooze);
    expect(sandbox.faults.calls).toEqual({ create: 0, get: 0, list: 0, expire: 0 });
  });

  test('a response without an end › is cut off', async () => {
    const server = await startServer((_request, response) => {
      const more = (): void =>
        void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : response.once('drain', more));
      more();
    });
    gateway = gatewayAt(provider, server.url);
    expect(await errorOf(linksOf('x'))).toMatchObject({ cause: { message: 'the response is too large' } });
    await server.close();
  });

  test('a payment that takes days › is processing, then paid', async () => {
    const { id, url } = await create();
    await pay(url, { delayed: true });
    expect(await linksOf(id)).toMatchObject([{ status: 'processing', paidAmount: null }]);
    await post(`${url}/settle`, { outcome: 'paid' });
    expect(await linksOf(id)).toMatchObject([{ status: 'paid', paidAmount: '19.99' }]);
  });

  test('a refund › is read with the payment', async () => {
    const { id, url } = await create();
    await pay(url);
    await post(`${url}/refund`, { amount: 5.5 });
    const link = { ...newLink(), gatewayId: id };
    expect(await gateway.linksOf(link, { ofPayment: true })).toMatchObject([
      { status: 'paid', refundedAmount: '5.50' },
    ]);
  });

  test('the pages › include those that links lead to', async () => {
    const { url } = await create();
    expect(gatewayRules(provider).pages(settingsOf(provider, sandbox.url))).toContain(new URL(url).origin);
  });
});

const inUsd = { amount: '19.99', currency: 'USD' };

interface Changes {
  secretKey?: string;
  timeoutMs?: string;
}

function settingsOf(provider: ProviderName, url: string, { timeoutMs = '15000', ...changes }: Changes = {}) {
  const variables = providerVariables({ url, secretKey, callbackToken, ...changes });
  return loadConfig({ ...variables, GATEWAY_PROVIDER: provider, GATEWAY_TIMEOUT_MS: timeoutMs }).gateway;
}

function gatewayAt(provider: ProviderName, url: string, changes: Changes = {}): Gateway {
  return openGateways(settingsOf(provider, url, changes)).of(provider);
}

const pay = (url: string, body = {}): Promise<Response> => post(`${url}/pay`, body);

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => Promise.reject(new Error(`it should have failed: ${JSON.stringify(value)}`)),
    (error: unknown) => error,
  );
}
