import type { SandboxLink } from '../../../dev/sandboxGateway/SandboxLink';
import { PaymentLink } from '../../../shared/models';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;

beforeAll(async () => {
  effects = await Effects.start();
});

beforeEach(() => effects.gatewayFault({ reset: true, callbacks: false }));

/** An invoice with a link, whose callbacks the test sends. */
async function linked(): Promise<Subject & { linkId: string }> {
  const subject = await effects.invoice();
  const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
  await effects.runToEnd(jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202)));
  const [linkId = ''] = await effects.payable(subject.invoice.id);
  return { ...subject, linkId };
}

async function callback({ linkId }: { linkId: string }, changes: object = {}): Promise<void> {
  const response = await fetch(`${effects.api.url}/webhooks/gateway/xendit`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'x-callback-token': effects.farSides.env['XENDIT_CALLBACK_TOKEN'] ?? '',
    },
    body: JSON.stringify({ ...effects.sandbox.links.get(linkId), ...changes }),
  });
  expect(response.status).toBe(200);
}

const syncs = (subject: Subject) => effects.jobs(subject.companyId, 'syncPaymentLink');
const gatewayCalls = (): number => effects.sandbox.faults.calls.list;

async function runAll(subject: Subject): Promise<void> {
  for (const { id, status } of await syncs(subject)) if (status === 'pending') await effects.runToEnd(id);
}

const isPaid = async ({ as, invoice }: Subject): Promise<boolean> =>
  ((await as.get(`/api/invoices/${invoice.id}`).expect(200)).body as { status: string }).status === 'paid';

test('a callback about a refund › is read from the list of refunds, and shown beside the payment', async () => {
  const subject = await linked();
  await effects.pay(subject.linkId);
  await callback(subject);
  await runAll(subject);
  await effects.payer(subject.linkId, 'refund', { amount: 70.5 });
  await callback(subject, { event: 'refund.succeeded', data: { invoice_id: subject.linkId } });
  await runAll(subject);
  const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payments`).expect(200);
  expect(body).toMatchObject({ data: [{ refundedAmount: '70.50', flags: [] }], balance: { due: '0.00' } });
  expect(await effects.eventsOf(subject.invoice.id, 'payment.refunded')).toMatchObject([{ refundedAmount: '70.50' }]);
});

test('another event soon after one › is not taken for its repetition', async () => {
  const subject = await linked();
  await effects.pay(subject.linkId);
  await callback(subject);
  await runAll(subject);
  for (const id of ['rfd-1', 'rfd-2', 'rfd-2']) {
    await callback(subject, { event: 'refund.succeeded', data: { id, invoice_id: subject.linkId } });
    await runAll(subject);
  }
  const jobs = await effects.services.sql.rows<{ delayMs: string }>(
    `SELECT TIMESTAMPDIFF(MICROSECOND, createdAt, availableAt) / 1000 AS delayMs FROM jobs
      WHERE companyId = ? AND name = 'syncPaymentLink' ORDER BY id`,
    [subject.companyId],
  );
  expect(jobs.map(({ delayMs }) => Number(delayMs) > 0)).toEqual([false, false, false, true]);
});

test('a payment by a method with a long name › is recorded, with the beginning of the name', async () => {
  const subject = await linked();
  await effects.pay(subject.linkId);
  const paid = effects.sandbox.links.get(subject.linkId);
  if (paid === undefined) throw new Error('the link is not there');
  effects.sandbox.links.put({ ...paid, payment_channel: 'x'.repeat(200) });
  await callback(subject);
  await runAll(subject);
  const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payments`).expect(200);
  expect(body).toMatchObject({ data: [{ method: 'x'.repeat(50) }], balance: { due: '0.00' } });
});

describe('a repeated callback', () => {
  test('while its job has not ended › shares it', async () => {
    const subject = await linked();
    await effects.pay(subject.linkId);
    for (let n = 0; n < 10; n++) await callback(subject);
    expect(await syncs(subject)).toHaveLength(1);
    await runAll(subject);
    expect([gatewayCalls(), await isPaid(subject)]).toEqual([1, true]);
  });

  test('of a payment that is recorded › is acknowledged without a job', async () => {
    const subject = await linked();
    await effects.pay(subject.linkId);
    await callback(subject);
    await runAll(subject);
    for (let n = 0; n < 10; n++) await callback(subject);
    for (const status of ['SETTLED', 'PENDING', 'EXPIRED']) await callback(subject, { status });
    expect(await syncs(subject)).toHaveLength(1);
  });

  test('that an open link is open › is no news', async () => {
    const subject = await linked();
    await callback(subject);
    expect(await syncs(subject)).toEqual([]);
  });

  test('of a link that has expired › is acknowledged without a job, once that is recorded', async () => {
    const subject = await linked();
    const { links } = effects.sandbox;
    links.put({ ...(links.get(subject.linkId) as SandboxLink), status: 'EXPIRED' });
    await callback(subject);
    await runAll(subject);
    for (let n = 0; n < 10; n++) await callback(subject);
    expect([(await syncs(subject)).length, gatewayCalls()]).toEqual([1, 1]);
  });

  test('that the gateway does not confirm › is looked into a minute later, however often it is repeated', async () => {
    const subject = await linked();
    const paid = { status: 'PAID' };
    await callback(subject, paid);
    await runAll(subject);
    for (let n = 0; n < 10; n++) await callback(subject, paid);
    const [first, second, ...more] = await syncs(subject);
    expect(more).toEqual([]);
    expect((second?.availableAt.getTime() ?? 0) - (first?.availableAt.getTime() ?? 0)).toBe(60_000);
    // By then it has become true: nothing is lost.
    await effects.pay(subject.linkId);
    await runAll(subject);
    expect(await isPaid(subject)).toBe(true);
  });
});

describe('a callback with news', () => {
  test('while the job of another one runs › has a job of its own', async () => {
    const subject = await linked();
    await callback(subject, { status: 'EXPIRED' });
    await effects.pay(subject.linkId);
    await callback(subject);
    expect((await syncs(subject)).map(({ status }) => status)).toEqual(['pending', 'pending']);
    await runAll(subject);
    expect(await isPaid(subject)).toBe(true);
  });

  test('of another link with the same reference › is looked into, also when ours has ended', async () => {
    const subject = await linked();
    await effects.pay(subject.linkId);
    await callback(subject);
    await runAll(subject);
    await callback(subject, { id: 'made-by-a-late-call', status: 'PENDING' });
    await callback(subject, { id: 'made-by-a-late-call', status: 'PAID' });
    expect(await syncs(subject)).toHaveLength(3);
  });

  test('before the link is recorded › is looked into', async () => {
    const subject = await linked();
    await PaymentLink.update({ status: 'creating', gatewayId: null }, { where: { invoiceId: subject.invoice.id } });
    await effects.pay(subject.linkId);
    await callback(subject);
    await runAll(subject);
    expect(await isPaid(subject)).toBe(true);
  });
});
