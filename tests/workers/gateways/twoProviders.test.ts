import { Invoice } from '../../../shared/models';
import { updateInvoice } from '../../../shared/invoices/updateInvoice';
import type { InvoiceChanges } from '../../../shared/invoices/record';
import { providers } from '../../../shared/paymentLinks/gateways';
import { pollPaymentLinks } from '../../../shared/paymentLinks/pollPaymentLinks';
import { Gateways } from '../../../workers/gateways';
import type { Tools } from '../../../workers/jobs/JobRun';
import { SecondProvider, signatureOf } from '../../support/secondProvider';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

const HOUR_MS = 3_600_000;

let effects: Effects;
let xenditAlone: Gateways;
const second = new SecondProvider();

beforeAll(async () => {
  effects = await Effects.start();
  await effects.gatewayFault({ callbacks: false });
  Object.assign(providers, { second: SecondProvider.rules });
  xenditAlone = effects.tools.gateways;
  Object.assign(effects.tools, { gateways: new Gateways([xenditAlone.of('xendit'), second]) });
});
afterAll(() => Reflect.deleteProperty(providers, 'second'));

/** An installation whose new links are made by this provider. */
function defaultTo(provider: string): Partial<Tools> {
  const { services } = effects;
  const gateway = { ...services.config.gateway, provider: provider as 'xendit' };
  return { services: { ...services, config: { ...services.config, gateway } } };
}

async function request({ as, invoice }: Subject, body: object = {}): Promise<number> {
  const path = `/api/invoices/${invoice.id}/create-gateway-invoice`;
  return jobIdOf(await as.post(path).set('Prefer', 'respond-async').send(body).expect(202));
}

/** An invoice with an open link of this provider. */
async function linked(provider: string): Promise<Subject & { linkId: string }> {
  const subject = await effects.invoice();
  expect(await effects.run(await request(subject), defaultTo(provider))).toEqual({ done: true });
  const [link] = await effects.links(subject.invoice.id);
  expect(link).toMatchObject({ provider, status: 'active' });
  return { ...subject, linkId: link?.gatewayId ?? '' };
}

const update = ({ companyId, invoice }: Subject, changes: InvoiceChanges) =>
  effects.services.perform({ companyId, actor: 'test' }, (uow) => updateInvoice(uow, invoice.id, changes));
const invoiceNow = ({ invoice }: Subject) => Invoice.findOne({ where: { id: invoice.id }, rejectOnEmpty: true });

describe('links of two providers in one installation', () => {
  test('are each polled at their own, and each payment is recorded', async () => {
    const [one, other] = [await linked('xendit'), await linked('second')];
    await effects.pay(one.linkId);
    second.pay(other.linkId);
    effects.clock.moveOn(HOUR_MS);
    await pollPaymentLinks(effects.services);
    for (const subject of [one, other]) {
      await effects.runEverything(subject.companyId);
      expect((await invoiceNow(subject)).status).toBe('paid');
      expect(await effects.payments(subject.invoice.id)).toMatchObject([
        { gatewayId: subject.linkId, amount: '220.00' },
      ]);
    }
  });

  test('are each expired at their own when the invoice is cancelled', async () => {
    const [one, other] = [await linked('xendit'), await linked('second')];
    for (const subject of [one, other]) {
      await update(subject, { status: 'cancelled' });
      await effects.runEverything(subject.companyId);
      expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'expired' }]);
    }
    expect(effects.sandbox.links.get(one.linkId)?.status).toBe('EXPIRED');
    expect(second.links.get(other.linkId)?.status).toBe('expired');
  });

  test('of one invoice › the new link is made by the new default, the old one is expired by the provider that made it', async () => {
    const subject = await linked('xendit');
    await update(subject, { items: [{ description: 'Work', quantity: 1, unitPrice: '70.00' }] });
    expect(await effects.run(await request(subject), defaultTo('second'))).toEqual({ done: true });
    expect(await effects.links(subject.invoice.id)).toMatchObject([
      { provider: 'xendit', status: 'expired' },
      { provider: 'second', status: 'active', amount: '77.00' },
    ]);
    expect(effects.sandbox.links.get(subject.linkId)?.status).toBe('EXPIRED');
    expect((await invoiceNow(subject)).gatewayInvoiceUrl).toMatch(/^https:\/\/second\.example\.com\//);
  });
});

test('a provider with idempotency keys › is called again after a lost response, without waiting, and made one link', async () => {
  const subject = await effects.invoice();
  const jobId = await request(subject);
  const before = second.links.size;
  second.lostResponses = 1;
  const outcome = await effects.run(jobId, defaultTo('second'));
  if (!('nextRunAt' in outcome)) throw new Error('it should be retried');
  effects.clock.moveTo(outcome.nextRunAt);
  expect(await effects.run(jobId, defaultTo('second'))).toEqual({ done: true });
  expect(await effects.job(jobId)).toMatchObject({ attempt: 2, uncounted: 0 });
  expect(second.links.size).toBe(before + 1);
});

test('a link being made when the default changes › is finished by the provider that was called', async () => {
  const subject = await effects.invoice();
  const jobId = await request(subject);
  second.lostResponses = 1;
  await effects.run(jobId, defaultTo('second'));
  expect((await effects.runToEnd(jobId)).status).toBe('done');
  expect(await effects.links(subject.invoice.id)).toMatchObject([{ provider: 'second', status: 'active' }]);
});

describe('a link of a provider without credentials', () => {
  test('is retried with an error that says so, and synced once they are there', async () => {
    const subject = await linked('second');
    second.pay(subject.linkId);
    effects.clock.moveOn(HOUR_MS);
    await pollPaymentLinks(effects.services);
    const [sync] = await effects.jobs(subject.companyId, 'syncPaymentLink');
    const outcome = await effects.run(sync?.id ?? 0, { gateways: xenditAlone });
    expect(outcome).toHaveProperty('nextRunAt');
    expect(JSON.parse((await effects.job(sync?.id ?? 0)).lastError ?? '')).toEqual({
      code: 'gateway_unavailable',
      message: 'no credentials are configured for the payment provider "second"',
      status: 504,
    });
    await effects.runEverything(subject.companyId);
    expect((await invoiceNow(subject)).status).toBe('paid');
  });

  test('is not recorded when it would be a new one', async () => {
    const subject = await effects.invoice();
    const outcome = await effects.run(await request(subject), { ...defaultTo('second'), gateways: xenditAlone });
    expect(outcome).toHaveProperty('nextRunAt');
    expect(await effects.links(subject.invoice.id)).toEqual([]);
  });
});

describe('a callback of a provider that signs the bytes', () => {
  const send = async (provider: string, body: string, headers: Record<string, string>): Promise<number> =>
    (
      await fetch(`${effects.api.url}/webhooks/gateway/${provider}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      })
    ).status;
  /** Spaces that are lost when JSON is parsed and written anew. */
  const paid = async ({ invoice, linkId }: Subject & { linkId: string }): Promise<string> => {
    const [link] = await effects.links(invoice.id);
    return `{ "state":  "paid",\n "link": "${linkId}", "key": "${link?.reference}" }`;
  };

  test('is verified on the body as it was received, and leads to a payment', async () => {
    const subject = await linked('second');
    second.pay(subject.linkId);
    const body = await paid(subject);
    const rewritten = JSON.stringify(JSON.parse(body));
    expect(await send('second', body, { 'x-signature': signatureOf(rewritten) })).toBe(401);
    expect(await send('second', body, {})).toBe(401);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toEqual([]);
    expect(await send('second', body, { 'x-signature': signatureOf(body) })).toBe(200);
    await effects.runEverything(subject.companyId);
    expect((await invoiceNow(subject)).status).toBe('paid');
  });

  test('is not authentic when it is not JSON and not signed: nothing is parsed before', async () => {
    expect(await send('second', '{', { 'x-signature': 'x' })).toBe(401);
    expect(await send('second', '{', { 'x-signature': signatureOf('{') })).toBe(400);
  });

  test('about a link of another provider › finds no link', async () => {
    const subject = await linked('xendit');
    const body = await paid(subject);
    expect(await send('second', body, { 'x-signature': signatureOf(body) })).toBe(200);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toEqual([]);
  });
});
