import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { startSandboxGateway, type SandboxGateway } from '../../../dev/sandboxGateway/server';
import { providerVariables } from '../../../dev/launcher/environment';
import { loadConfig } from '../../../config/env';
import { fromStripeUnits, toStripeUnits } from '../../../shared/paymentLinks';
import { isAuthentic, headerProof, parseCallback } from '../../../shared/paymentLinks/gateways/stripe';
import { stripeAmount } from '../../../shared/paymentLinks/gateways/stripeAmounts';
import { GatewayUnavailable } from '../../../shared/engine/errors';
import { type Gateway, openGateways, PartlyExpired } from '../../../workers/gateways';
import { newLink, startServer } from './localGateway';

const secretKey = 'sk_test_of-the-tests';
const callbackToken = 'whsec_of-the-tests';
const settings = (url: string) => loadConfig(providerVariables({ url, secretKey, callbackToken })).gateway;

describe('a failure that Stripe has stored under the idempotency key', () => {
  let sandbox: SandboxGateway;
  let gateway: Gateway;
  beforeEach(async () => {
    sandbox = await startSandboxGateway({ secretKey, callbackToken });
    gateway = openGateways(settings(sandbox.url)).of('stripe');
  });
  afterEach(() => sandbox.close());

  const fail = (work: boolean): void =>
    sandbox.faults.add({
      ...{ mode: 'fail', operation: 'create', times: 1, status: 500, delayMs: 0, retryAfterSeconds: 1, work },
    });
  const link = newLink({ amount: '19.99', currency: 'USD' });
  const create = (calledBefore: boolean) => gateway.findOrCreateLink(link, { calledBefore });

  test('and made nothing › is distinguished from a new one, and the next call succeeds under another key', async () => {
    fail(false);
    await expect(create(false)).rejects.toThrow(GatewayUnavailable);
    const made = await create(true);
    expect(made).toMatchObject({ reference: 'ref-1', status: 'pending' });
    expect(sandbox.links.all()).toMatchObject([{ metadata: { reference: 'ref-1', key: 'ref-1:2' } }]);
    // And a further one, whose response was lost, makes no third.
    expect(await create(true)).toEqual(made);
  });

  test('and made a link all the same › both are found by the reference, and can be expired', async () => {
    fail(false);
    await expect(create(false)).rejects.toThrow(GatewayUnavailable);
    const made = await create(true);
    // The first call is carried out late.
    const first = sandbox.links.all()[0];
    if (first === undefined) throw new Error('there is no link');
    sandbox.links.put({ ...first, id: 'plink_late', metadata: { ...first.metadata, key: 'ref-1' } });
    const found = await gateway.linksOf({ ...link, gatewayId: made.id });
    expect(found.map(({ id }) => id).sort()).toEqual([made.id, 'plink_late'].sort());
    expect(await gateway.expireLink('plink_late')).toMatchObject({ status: 'expired' });
  });
});

describe('an account with more links than are searched', () => {
  let sandbox: SandboxGateway;
  let gateway: Gateway;
  const link = newLink({ amount: '19.99', currency: 'USD' });
  const lost = {
    mode: 'fail',
    operation: 'create',
    times: 1,
    status: 500,
    delayMs: 0,
    retryAfterSeconds: 1,
    work: false,
  } as const;
  beforeEach(async () => {
    sandbox = await startSandboxGateway({ secretKey, callbackToken });
    gateway = openGateways(settings(sandbox.url)).of('stripe');
  });
  afterEach(() => sandbox.close());

  /** So many links of others, whose rows were made by so many hours earlier. */
  const addLinks = async (count: number, hoursBefore: number | null): Promise<void> => {
    const { id } = await gateway.findOrCreateLink(newLink({ reference: 'of others' }), { calledBefore: false });
    const one = sandbox.links.get(id);
    if (one === undefined) throw new Error('there is no link');
    const at = hoursBefore !== null && new Date(link.createdAt.getTime() - hoursBefore * 3_600_000).toISOString();
    for (let n = 0; n < count; n++) {
      const { at: _, ...metadata } = one.metadata ?? {};
      sandbox.links.put({
        ...one,
        id: `plink_${n}_${hoursBefore}`,
        metadata: { ...metadata, ...(at !== false && { at }) },
      });
    }
  };

  test('that are older › finds out that the call with an unknown outcome made none, and makes it', async () => {
    await addLinks(2_100, 2);
    sandbox.faults.add(lost);
    await expect(gateway.findOrCreateLink(link, { calledBefore: false })).rejects.toThrow(GatewayUnavailable);
    const made = await gateway.findOrCreateLink(link, { calledBefore: true });
    expect(await gateway.linksOf({ ...link, gatewayId: null })).toEqual([made]);
  });

  test.each([
    ['that are about as old', 0.5],
    ['whose age is not known', null],
  ])('%s › makes none: an older one may be payable', async (_which, hoursBefore) => {
    await addLinks(2_100, hoursBefore);
    await expect(gateway.findOrCreateLink(link, { calledBefore: true })).rejects.toThrow('not among the newest ones');
    expect(sandbox.links.all()).toHaveLength(2_101);
  });

  test('and a link among them made by a call with other parameters › makes one under another key', async () => {
    sandbox.faults.add({ ...lost, work: false });
    await expect(gateway.findOrCreateLink(link, { calledBefore: false })).rejects.toThrow(GatewayUnavailable);
    const renamed = { ...link, description: 'Invoice INV-2' };
    expect(await gateway.findOrCreateLink(renamed, { calledBefore: true })).toMatchObject({ status: 'pending' });
    expect(sandbox.links.all()).toMatchObject([{ metadata: { key: 'ref-1:2' } }]);
  });
});

describe('a delayed payment', () => {
  test.each([
    ['paid', 'paid'],
    ['failed', 'expired'],
    ['expired', 'expired'],
  ])('that ends as %s › is processing, then %s', async (outcome, status) => {
    const sandbox = await startSandboxGateway({ secretKey, callbackToken });
    const gateway = openGateways(settings(sandbox.url)).of('stripe');
    const { id, url, reference } = await gateway.findOrCreateLink(newLink(), { calledBefore: false });
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/pay', { delayed: true });
    expect(await gateway.linksOf({ ...newLink({ reference }), gatewayId: id })).toMatchObject([
      { status: 'processing', paidAmount: null, paidAt: null },
    ]);
    expect(await gateway.expireLink(id)).toMatchObject({ status: 'processing' });
    await post('/settle', { outcome });
    expect(await gateway.linksOf({ ...newLink({ reference }), gatewayId: id })).toMatchObject([{ status }]);
    await sandbox.close();
  });
});

test('a link with more open sessions than one list shows › has all of them ended, on a slow machine by several runs', async () => {
  const open = new Set(Array.from({ length: 150 }, (_, n) => `cs_${n}`));
  const metadata = { reference: 'r', amount: '1.00', currency: 'USD', key: 'r' };
  const link = { id: 'plink_1', active: false, url: 'https://pay.example/1', metadata };
  const respond = (method: string, { pathname, searchParams }: URL): object => {
    const [, ended] = /sessions\/(cs_\d+)\/expire$/.exec(pathname) ?? [];
    if (ended !== undefined) return { id: ended, expired: open.delete(ended) };
    if (!pathname.endsWith('/sessions')) return link;
    const shown = searchParams.get('status') === 'open' ? [...open].slice(0, 100) : [];
    return { data: shown.map((id) => ({ id, payment_status: 'unpaid', created: 1 })), method };
  };
  const server = await startServer(({ method = '', url = '' }, response) => {
    response.end(JSON.stringify(respond(method, new URL(url, 'http://127.0.0.1'))));
  });
  const gateway = openGateways(settings(server.url)).of('stripe');
  const expireOnce = (): Promise<unknown> =>
    gateway.expireLink('plink_1').catch((error: unknown) => {
      if (!(error instanceof PartlyExpired)) throw error;
      return null;
    });
  while ((await expireOnce()) === null);
  await server.close();
  expect(open.size).toBe(0);
});

test.each([
  ['lock_timeout', { provider: null, retryAfterMs: null }],
  ['rate_limit', { provider: 'stripe', retryAfterMs: 1_000 }],
])('a 429 with the code %s › is unavailable, and stops other calls only if they are concerned', async (code, hold) => {
  const server = await startServer((_request, response) => {
    response.writeHead(429, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { type: 'invalid_request_error', code, message: 'try again' } }));
  });
  const error: unknown = await openGateways(settings(server.url))
    .of('stripe')
    .expireLink('plink_1')
    .catch((reason: unknown) => reason);
  await server.close();
  expect(error).toBeInstanceOf(GatewayUnavailable);
  expect(error).toMatchObject({ retryable: true, outcomeUnknown: false, ...hold });
});

describe('amounts', () => {
  test.each([
    ['USD', '12.34', 1_234],
    ['JPY', '1234.00', 1_234],
    ['KWD', '1.23', 1_230],
    ['ISK', '5.00', 500],
    ['UGX', '5.00', 500],
    ['HUF', '12.34', 1_234],
    ['TWD', '12.34', 1_234],
    ['MGA', '7.00', 7],
  ])('%s %s › is %d in the units of the API, and back', (currency, amount, units) => {
    expect(toStripeUnits(amount, currency)).toBe(units);
    expect(fromStripeUnits(units, currency)).toBe(amount);
  });

  test('every amount that can be charged › comes back as it was', () => {
    const currency = fc.constantFrom('USD', 'JPY', 'BHD', 'ISK', 'UGX', 'TWD', 'XPF', 'TND', 'IDR');
    fc.assert(
      fc.property(fc.bigInt(0n, 99_999_999_999_999n), currency, (hundredths, code) => {
        const digits = String(hundredths).padStart(3, '0');
        const amount = stripeAmount(`${digits.slice(0, -2)}.${digits.slice(-2)}`, code);
        const units = toStripeUnits(amount, code);
        expect(Number.isSafeInteger(units)).toBe(true);
        expect(fromStripeUnits(units, code)).toBe(amount);
      }),
    );
  });
});

describe('a callback', () => {
  const now = new Date('2026-11-24T10:00:00Z');
  const seconds = now.getTime() / 1_000;
  const body = Buffer.from('{"type":"checkout.session.completed"}');
  const sign = (time: number, secret = callbackToken, bytes = body): string =>
    createHmac('sha256', secret).update(`${time}.`).update(bytes).digest('hex');
  const gateway = settings('http://127.0.0.1');
  const accepts = (signature: string | undefined, bytes = body): boolean =>
    isAuthentic(bytes, { 'stripe-signature': signature }, gateway, now);

  test('signed with the secret › is authentic, also beside another signature and up to five minutes later', () => {
    expect(accepts(`t=${seconds},v1=${sign(seconds)}`)).toBe(true);
    expect(accepts(`t=${seconds},v1=${sign(seconds, 'old')},v1=${sign(seconds)},v0=${sign(seconds, 'test')}`)).toBe(
      true,
    );
    expect(accepts(`t=${seconds - 299},v1=${sign(seconds - 299)}`)).toBe(true);
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['of another secret', `t=${seconds},v1=${sign(seconds, 'forged')}`],
    ['that is stale', `t=${seconds - 301},v1=${sign(seconds - 301)}`],
    ['of the future', `t=${seconds + 301},v1=${sign(seconds + 301)}`],
    ['of another time', `t=${seconds - 1},v1=${sign(seconds)}`],
    ['of another scheme', `t=${seconds},v0=${sign(seconds)}`],
    ['that is cut off', `t=${seconds},v1=${sign(seconds).slice(0, 63)}`],
    ['with a thousand parts', `t=${seconds},${`v1=${'0'.repeat(64)},`.repeat(1_000)}v1=${sign(seconds)}`],
  ])('with a signature %s › is not', (_what, signature) => {
    expect(accepts(signature)).toBe(false);
  });

  test('whose bytes were changed › is not', () => {
    expect(accepts(`t=${seconds},v1=${sign(seconds)}`, Buffer.from(`${body.toString()} `))).toBe(false);
  });

  test('without a configured secret › is refused whatever it says, before its body is received', () => {
    const without = loadConfig({}).gateway;
    const headers = { 'stripe-signature': `t=${seconds},v1=${sign(seconds, '')}` };
    expect(headerProof(headers, without)).toBe('refused');
    expect(isAuthentic(body, headers, without, now)).toBe(false);
    expect(headerProof({ 'stripe-signature': 'nothing' }, gateway)).toBe('refused');
  });

  const session = { payment_link: 'plink_1', payment_intent: 'pi_1', metadata: { reference: 'ref-1' } };
  test.each(['completed', 'async_payment_succeeded', 'async_payment_failed'])(
    'about a session that is %s › names the link and the payment',
    (what) => {
      expect(parseCallback({ id: 'evt_1', type: `checkout.session.${what}`, data: { object: session } })).toEqual({
        gatewayId: 'plink_1',
        reference: 'ref-1',
        paymentId: 'pi_1',
        status: 'news',
        eventId: 'evt_1',
      });
    },
  );

  test.each([
    ['null', null],
    ['a list', []],
    ['another type', { type: 'customer.created', data: { object: session } }],
    [
      'a session of no link',
      { type: 'checkout.session.completed', data: { object: { ...session, payment_link: null } } },
    ],
    ['a link of somebody else', { type: 'checkout.session.completed', data: { object: { ...session, metadata: {} } } }],
    ['no object', { type: 'checkout.session.completed', data: null }],
    [
      'a long id',
      { type: 'checkout.session.completed', data: { object: { ...session, payment_link: 'x'.repeat(256) } } },
    ],
  ])('with %s › is about no link of ours', (_what, value) => {
    expect(parseCallback(value)).toBeNull();
  });
});
