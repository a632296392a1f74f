import { createConnection } from 'mysql2/promise';
import { pollPaymentLinks } from '../../../shared/paymentLinks/pollPaymentLinks';
import { createInvoice } from '../../support/factories';
import { installation } from '../../support/installation';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

const HOUR_MS = 3_600_000;

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});
beforeEach(() => effects.gatewayFault({ reset: true }));

/** An invoice with an open link, whose payment is never told to us. */
async function silentlyPayable(): Promise<Subject & { payUrl: string }> {
  const subject = await effects.invoice();
  const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
  await effects.runToEnd(jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202)));
  await effects.gatewayFault({ callbacks: false });
  const [link] = await effects.links(subject.invoice.id);
  return { ...subject, payUrl: `${link?.url}/pay` };
}

const statusOf = async ({ as, invoice }: Subject): Promise<unknown> =>
  ((await as.get(`/api/invoices/${invoice.id}`).expect(200)).body as { status: unknown }).status;

describe('a payment link whose callback never comes', () => {
  test('it was paid › the poll finds out, and the invoice is paid', async () => {
    const subject = await silentlyPayable();
    await fetch(subject.payUrl, { method: 'POST' });
    effects.clock.moveOn(HOUR_MS);
    expect(await pollPaymentLinks(effects.services)).toBeGreaterThanOrEqual(1);
    await effects.runEverything(subject.companyId);
    expect(await statusOf(subject)).toBe('paid');
    expect(await effects.payments(subject.invoice.id)).toHaveLength(1);
  });

  test('it is still open › stays open, and is polled later, not immediately', async () => {
    const subject = await silentlyPayable();
    effects.clock.moveOn(HOUR_MS);
    await pollPaymentLinks(effects.services);
    await effects.runEverything(subject.companyId);
    expect(await effects.links(subject.invoice.id)).toMatchObject([{ status: 'active' }]);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(1);
    await pollPaymentLinks(effects.services);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(1);
    effects.clock.moveOn(HOUR_MS);
    await pollPaymentLinks(effects.services);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(2);
  });

  test('a company has several › they are asked about one after the other until the next poll', async () => {
    const subject = await silentlyPayable();
    for (let more = 0; more < 2; more++) {
      const { id } = await createInvoice(effects.services, subject.companyId, { clientId: subject.clientId });
      const link = subject.as.post(`/api/invoices/${id}/create-gateway-invoice`).set('Prefer', 'respond-async');
      await effects.runToEnd(jobIdOf(await link.expect(202)));
    }
    effects.clock.moveOn(HOUR_MS);
    await pollPaymentLinks(effects.services);
    const syncs = await effects.jobs(subject.companyId, 'syncPaymentLink');
    const [first = 0, ...others] = syncs.map(({ availableAt }) => availableAt.getTime());
    expect(others.map((time) => time - first)).toEqual([10_000, 20_000]);
  });

  test('several workers poll at the same time › it is asked about once', async () => {
    const subject = await silentlyPayable();
    effects.clock.moveOn(HOUR_MS);
    await Promise.all(Array.from({ length: 4 }, () => pollPaymentLinks(effects.services)));
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(1);
  });

  test('it has ended › is not asked about any more', async () => {
    const subject = await silentlyPayable();
    await fetch(subject.payUrl, { method: 'POST' });
    effects.clock.moveOn(HOUR_MS);
    await pollPaymentLinks(effects.services);
    await effects.runEverything(subject.companyId);
    effects.clock.moveOn(24 * HOUR_MS);
    await pollPaymentLinks(effects.services);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(1);
  });

  test('the row of another company is locked › it is asked about all the same', async () => {
    const [locked, subject] = [await silentlyPayable(), await silentlyPayable()];
    effects.clock.moveOn(HOUR_MS);
    const connection = await createConnection((await installation()).DATABASE_URL ?? '');
    await connection.beginTransaction();
    await connection.query('SELECT id FROM companies WHERE id = ? FOR UPDATE', [locked.companyId]);
    // Begins with the locked one.
    jest.spyOn(Math, 'random').mockReturnValueOnce(0);
    await pollPaymentLinks(effects.services).finally(() => connection.destroy());
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toHaveLength(1);
    expect(await effects.jobs(locked.companyId, 'syncPaymentLink')).toHaveLength(0);
    await pollPaymentLinks(effects.services);
    expect(await effects.jobs(locked.companyId, 'syncPaymentLink')).toHaveLength(1);
  });
});
