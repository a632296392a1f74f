import { pollPaymentLinks } from '../../../shared/paymentLinks/pollPaymentLinks';
import { loadConfig } from '../../../config/env';
import { providerVariables } from '../../../dev/launcher/environment';
import { type Gateway, Gateways, openGateways } from '../../../workers/gateways';
import { Effects, jobIdOf, type Subject } from '../../support/workers';
import { startServer } from '../gateways/localGateway';

let effects: Effects;
/** Callbacks that the sandbox has delivered. */
let delivered: number;
// Each with a clock of its own, since the sandbox signs by the time of this machine.
beforeEach(async () => {
  effects = await Effects.start();
  delivered = 0;
});

const path = ({ invoice }: Subject): string => `/api/invoices/${invoice.id}/create-gateway-invoice`;

/** An invoice of 220.00 with an open link of Stripe, which its company has chosen. */
async function linked(): Promise<Subject & { url: string }> {
  const subject = await effects.invoice();
  await subject.as.put('/api/company').send({ gatewayProvider: 'stripe' }).expect(200);
  expect(await effects.run(await request(subject))).toEqual({ done: true });
  const [link] = await effects.links(subject.invoice.id);
  expect(link).toMatchObject({ provider: 'stripe', status: 'active', expiresAt: null });
  return { ...subject, url: link?.url ?? '' };
}

async function request(subject: Subject, body: object = {}): Promise<number> {
  return jobIdOf(await subject.as.post(path(subject)).set('Prefer', 'respond-async').send(body).expect(202));
}

const post = async (url: string, body: object = {}): Promise<void> => {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
};

/** Waits until the sandbox's callbacks were taken, and runs what they have recorded. */
async function afterCallbacks({ companyId }: Subject, type: number): Promise<void> {
  await expectCallbacks(type);
  await effects.runEverything(companyId);
}

async function expectCallbacks(count: number): Promise<void> {
  const { callbacks } = (await (await fetch(`${effects.sandbox.url}/links`)).json()) as {
    callbacks: { delivered: boolean }[];
  };
  if (callbacks.filter(({ delivered }) => delivered).length >= count) return;
  await new Promise((resolve) => setImmediate(resolve));
  return expectCallbacks(count);
}

async function payAndSync(subject: Subject & { url: string }, action: string, body: object = {}): Promise<void> {
  await post(`${subject.url}/${action}`, body);
  delivered += 1;
  await afterCallbacks(subject, delivered);
}

const statusOf = async ({ as, invoice }: Subject): Promise<string> =>
  ((await as.get(`/api/invoices/${invoice.id}`).expect(200)).body as { status: string }).status;

test('a payment › is reported by a signed callback, read from Stripe, and makes the invoice paid', async () => {
  const subject = await linked();
  await payAndSync(subject, 'pay');
  expect(await statusOf(subject)).toBe('paid');
  const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payments`).expect(200);
  expect(body).toMatchObject({
    data: [{ amount: '220.00', source: 'gateway', provider: 'stripe', method: 'card', flags: [] }],
    balance: { due: '0.00' },
  });
});

test('without callbacks › is found by polling', async () => {
  const subject = await linked();
  await effects.gatewayFault({ callbacks: false });
  await post(`${subject.url}/pay`);
  effects.clock.moveOn(3_600_000);
  await pollPaymentLinks(effects.services);
  await effects.runEverything(subject.companyId);
  expect(await statusOf(subject)).toBe('paid');
  await effects.gatewayFault({ callbacks: true });
});

test('a second payment by a payer who had the link open › is recorded as too much, once', async () => {
  const subject = await linked();
  await payAndSync(subject, 'pay');
  const id = subject.url.split('/').at(-1) ?? '';
  const paid = effects.sandbox.links.get(id);
  if (paid === undefined) throw new Error('the link is not there');
  const updated = new Date(Date.parse(paid.updated) + 1).toISOString();
  effects.sandbox.links.put({ ...paid, paidTwice: true, updated });
  for (const callbacks of [1, 2]) {
    await post(`${effects.sandbox.url}/links/${id}/callback`);
    await afterCallbacks(subject, delivered + callbacks);
  }
  expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(2);
  const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payments`).expect(200);
  expect(body).toMatchObject({ data: [{ flags: ['excess'] }, { flags: [] }], balance: { excess: '220.00' } });
});

test('a hundred copies of a callback at the same time › are one payment', async () => {
  const subject = await linked();
  await effects.gatewayFault({ callbacks: false });
  await post(`${subject.url}/pay`);
  const id = subject.url.split('/').at(-1) ?? '';
  await Promise.all(Array.from({ length: 100 }, () => post(`${effects.sandbox.url}/links/${id}/callback`)));
  delivered += 100;
  await effects.gatewayFault({ callbacks: true });
  await effects.runEverything(subject.companyId);
  expect(await effects.payments(subject.invoice.id)).toHaveLength(1);
  expect(await statusOf(subject)).toBe('paid');
});

describe('a payment by a method that takes days', () => {
  test('while it is on its way › no other link is made, and no reminder nor button asks for it; then it is paid', async () => {
    const subject = await linked();
    await payAndSync(subject, 'pay', { delayed: true });
    const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payment-links`).expect(200);
    expect(body).toMatchObject({ data: [{ status: 'processing' }] });
    for (const regenerate of [false, true]) {
      const refused = await subject.as.post(path(subject)).send({ regenerate }).expect(409);
      expect(refused.body).toMatchObject({ code: 'payment_processing' });
    }
    const page = await subject.as.get(`/api/invoices/${subject.invoice.id}/hosted-page`).expect(200);
    const shown = await effects.api
      .as()
      .get(new URL((page.body as { url: string }).url).pathname)
      .expect(200);
    expect(shown.text).toContain('A payment is on its way.');
    expect(shown.text).not.toContain('<form');
    expect(await statusOf(subject)).toBe('sent');
    await payAndSync(subject, 'settle', { outcome: 'paid' });
    expect(await statusOf(subject)).toBe('paid');
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'paid' }]);
  });

  test('that fails after days › ends its link, and another can be made', async () => {
    const subject = await linked();
    await payAndSync(subject, 'pay', { delayed: true });
    await payAndSync(subject, 'settle', { outcome: 'failed' });
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }]);
    expect(await effects.payments(subject.invoice.id)).toEqual([]);
    expect(await effects.run(await request(subject))).toEqual({ done: true });
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }, { status: 'active' }]);
  });

  test('whose end is not reported › is found by polling', async () => {
    const subject = await linked();
    await payAndSync(subject, 'pay', { delayed: true });
    await effects.gatewayFault({ callbacks: false });
    await post(`${subject.url}/settle`, { outcome: 'paid' });
    await effects.gatewayFault({ callbacks: true });
    effects.clock.moveOn(2 * 86_400_000);
    await pollPaymentLinks(effects.services);
    await effects.runEverything(subject.companyId);
    expect(await statusOf(subject)).toBe('paid');
  });
});

test('a payment that takes days and is found while another link is made › leaves none that can be paid', async () => {
  const subject = await linked();
  await effects.gatewayFault({ callbacks: false });
  await post(`${subject.url}/pay`, { delayed: true });
  const { status, lastError } = await effects.runToEnd(await request(subject, { regenerate: true }));
  expect([status, JSON.parse(lastError ?? '')]).toMatchObject(['failed', { code: 'payment_processing' }]);
  await effects.runEverything(subject.companyId);
  expect((await effects.links(subject.invoice.id)).map(({ status }) => status)).toEqual(['processing', 'expired']);
});

interface Shown {
  id: number;
  refundedAmount: string;
  disputedAt: string | null;
  gatewayPaymentId: string;
}
const paymentsOf = async ({ as, invoice }: Subject): Promise<{ data: Shown[]; balance: object }> =>
  (await as.get(`/api/invoices/${invoice.id}/payments`).expect(200)).body as { data: Shown[]; balance: object };

describe('what happens to a payment later', () => {
  test('refunds › are shown beside it and reported by events, and change neither the balance nor the status', async () => {
    const subject = await linked();
    await payAndSync(subject, 'pay');
    await payAndSync(subject, 'refund', { amount: 20 });
    const first = await paymentsOf(subject);
    expect(first).toMatchObject({ data: [{ refundedAmount: '20.00', disputedAt: null }], balance: { due: '0.00' } });
    expect(first.data[0]?.gatewayPaymentId).toMatch(/^pi_/);
    await payAndSync(subject, 'refund');
    expect(await paymentsOf(subject)).toMatchObject({
      data: [{ refundedAmount: '220.00' }],
      balance: { paid: '220.00' },
    });
    expect(await statusOf(subject)).toBe('paid');
    expect(await effects.eventsOf(subject.invoice.id, 'payment.refunded')).toMatchObject([
      { paymentId: first.data[0]?.id, amount: '220.00', refundedAmount: '20.00' },
      { paymentId: first.data[0]?.id, amount: '220.00', refundedAmount: '220.00' },
    ]);
  });

  test('a dispute › is shown with its time, and reported once', async () => {
    const subject = await linked();
    await payAndSync(subject, 'pay');
    await payAndSync(subject, 'dispute');
    await payAndSync(subject, 'dispute');
    const { data } = await paymentsOf(subject);
    expect(Date.parse(data[0]?.disputedAt ?? '')).toBeGreaterThan(0);
    expect(await effects.eventsOf(subject.invoice.id, 'payment.disputed')).toMatchObject([
      { paymentId: data[0]?.id, amount: '220.00' },
    ]);
  });

  test('a refund whose callback comes before the payment is recorded › is not lost', async () => {
    const subject = await linked();
    await effects.gatewayFault({ callbacks: false });
    await post(`${subject.url}/pay`);
    await effects.gatewayFault({ callbacks: true });
    await payAndSync(subject, 'refund', { amount: 1.5 });
    expect(await paymentsOf(subject)).toMatchObject({ data: [{ refundedAmount: '1.50' }] });
    expect(await statusOf(subject)).toBe('paid');
  });
});

describe('a state that a sync read before another one recorded a later state', () => {
  /** Runs the pending sync of a link. `meanwhile` happens between its reading and its recording. */
  async function syncSlowly({ companyId }: Subject, meanwhile: () => Promise<void>): Promise<void> {
    const [sync] = (await effects.jobs(companyId, 'syncPaymentLink')).filter(({ status }) => status === 'pending');
    const gateway = effects.tools.gateways.of('stripe');
    let reads = 0;
    const linksOf: Gateway['linksOf'] = async (...given) => {
      const found = await gateway.linksOf(...given);
      if (++reads === 1) await meanwhile();
      return found;
    };
    const slow = Object.create(gateway, { linksOf: { value: linksOf } }) as Gateway;
    await effects.run(sync?.id ?? 0, { gateways: new Gateways([slow]) });
    await effects.runToEnd(sync?.id ?? 0);
    expect(reads).toBe(1);
  }

  test('of a refund › leaves the later refund', async () => {
    const subject = await linked();
    await payAndSync(subject, 'pay');
    await post(`${subject.url}/refund`, { amount: 20 });
    await expectCallbacks(++delivered);
    await syncSlowly(subject, async () => {
      await post(`${subject.url}/refund`);
      await expectCallbacks(++delivered);
      const syncs = await effects.jobs(subject.companyId, 'syncPaymentLink');
      await effects.runToEnd(syncs.at(-1)?.id ?? 0);
    });
    expect(await paymentsOf(subject)).toMatchObject({ data: [{ refundedAmount: '220.00' }] });
    expect(await effects.eventsOf(subject.invoice.id, 'payment.refunded')).toMatchObject([
      { refundedAmount: '220.00' },
    ]);
  });

  test('of a payment on its way › leaves the link paid', async () => {
    const subject = await linked();
    await post(`${subject.url}/pay`, { delayed: true });
    await expectCallbacks(++delivered);
    await syncSlowly(subject, async () => {
      await post(`${subject.url}/settle`, { outcome: 'paid' });
      await expectCallbacks(++delivered);
      const syncs = await effects.jobs(subject.companyId, 'syncPaymentLink');
      await effects.runToEnd(syncs.at(-1)?.id ?? 0);
    });
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'paid' }]);
    expect(await statusOf(subject)).toBe('paid');
  });
});

test('an invoice that is paid elsewhere › has its link deactivated, and its open session ended', async () => {
  const subject = await linked();
  await fetch(subject.url);
  await subject.as.post(`/api/invoices/${subject.invoice.id}/payments`).send({ amount: '220.00' }).expect(201);
  await effects.runEverything(subject.companyId);
  await expect(post(`${subject.url}/pay`)).rejects.toThrow('EXPIRED');
  expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }]);
});

test('a link with many open sessions › leaves its slot to other jobs after two seconds, and goes on until none is open', async () => {
  const subject = await linked();
  const { id, metadata } = effects.sandbox.links.get(subject.url.split('/').at(-1) ?? '') ?? {};
  const open = new Set(Array.from({ length: 30 }, (_, n) => `cs_${n}`));
  let active = true;
  const respond = async (method: string, { pathname, searchParams }: URL): Promise<object> => {
    const [, ended] = /sessions\/(cs_\d+)\/expire$/.exec(pathname) ?? [];
    if (ended !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { id: ended, expired: open.delete(ended) };
    }
    if (!pathname.endsWith('/sessions')) {
      active &&= method === 'GET';
      return { id, active, url: subject.url, metadata };
    }
    const shown = searchParams.get('status') === 'open' ? [...open] : [];
    return { data: shown.map((session) => ({ id: session, payment_status: 'unpaid', created: 1 })) };
  };
  const server = await startServer(({ method = '', url = '' }, response) => {
    void respond(method, new URL(url, 'http://127.0.0.1')).then((body) => response.end(JSON.stringify(body)));
  });
  const provider = providerVariables({ url: server.url, secretKey: 'sk_test', callbackToken: 'whsec' });
  const gateways = openGateways(loadConfig(provider).gateway);
  await subject.as.post(`/api/invoices/${subject.invoice.id}/payments`).send({ amount: '220.00' }).expect(201);
  const [expiry] = await effects.jobs(subject.companyId, 'expirePaymentLinks');
  const run = () => effects.run(expiry?.id ?? 0, { gateways });
  expect(await run()).toEqual({ nextRunAt: expect.any(Date) });
  expect([active, open.size > 0, open.size < 30]).toEqual([false, true, true]);
  expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'superseded' }]);
  // One more run, on a slow machine several.
  let runs = 2;
  while (!('done' in (await run()))) runs += 1;
  expect(open.size).toBe(0);
  expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }]);
  const [ended] = await effects.jobs(subject.companyId, 'expirePaymentLinks');
  expect(ended).toMatchObject({ attempt: runs, uncounted: runs - 1 });
  await server.close();
});

test('a payment that wins against the end of its link › is recorded as too much', async () => {
  const subject = await linked();
  await effects.gatewayFault({ callbacks: false });
  await subject.as.post(`/api/invoices/${subject.invoice.id}/payments`).send({ amount: '220.00' }).expect(201);
  await post(`${subject.url}/pay`);
  await effects.gatewayFault({ callbacks: true });
  await effects.runEverything(subject.companyId);
  const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payments`).expect(200);
  expect(body).toMatchObject({ balance: { excess: '220.00' } });
  expect((body as { data: { flags: string[] }[] }).data.flatMap(({ flags }) => flags)).toContain('excess');
});

test('a link of Stripe › stays Stripe’s when the company has chosen Xendit since', async () => {
  const subject = await linked();
  await subject.as.put('/api/company').send({ gatewayProvider: 'xendit' }).expect(200);
  await payAndSync(subject, 'pay');
  expect(await statusOf(subject)).toBe('paid');
});

test('a new link after the change of the provider › is made there, and the one before is ended at its own', async () => {
  const subject = await linked();
  await subject.as.put('/api/company').send({ gatewayProvider: null }).expect(200);
  expect(await effects.run(await request(subject, { regenerate: true }))).toEqual({ done: true });
  const links = await effects.links(subject.invoice.id);
  expect(links).toMatchObject([
    { provider: 'stripe', status: 'expired' },
    { provider: 'xendit', status: 'active' },
  ]);
});

test('an unknown provider › 400 that names those that there are', async () => {
  const { as } = await effects.invoice();
  const { body } = await as.put('/api/company').send({ gatewayProvider: 'paypal' }).expect(400);
  expect(JSON.stringify(body)).toMatch(/xendit.*stripe/);
});
