import { formatDecimal, parseDecimal } from '../../../shared/money/money';
import { Invoice, type PaymentLink } from '../../../shared/models';
import { listPayments } from '../../../shared/payments';
import { createCompany, createInvoice, createKey } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { plansOf } from '../../support/plans';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});
beforeEach(() => effects.gatewayFault({ reset: true }));

interface PaymentJson {
  id: number;
  amount: string;
  flags: string[];
  voidedAt: string | null;
  [field: string]: unknown;
}
interface Listed {
  data: PaymentJson[];
  total: number;
  balance: Record<'total' | 'paid' | 'due' | 'excess' | 'currency', string>;
}

const pathOf = ({ invoice }: Subject): string => `/api/invoices/${invoice.id}/payments`;
const record = (subject: Subject, body: object) => subject.as.post(pathOf(subject)).send(body);
const recorded = async (subject: Subject, body: object): Promise<PaymentJson> =>
  (await record(subject, body).expect(201)).body as PaymentJson;
const voided = (subject: Subject, { id }: { id: number }) => subject.as.delete(`${pathOf(subject)}/${id}`);
const listOf = async (subject: Subject, query = ''): Promise<Listed> =>
  (await subject.as.get(`${pathOf(subject)}${query}`).expect(200)).body as Listed;
const invoiceNow = ({ invoice }: Subject) => Invoice.findOne({ where: { id: invoice.id }, rejectOnEmpty: true });
const eventsOf = async ({ as, invoice }: Subject): Promise<{ type: string; summary: string }[]> => {
  const { body } = await as.get(`/api/invoices/${invoice.id}/timeline?limit=100`).expect(200);
  return (body as { data: { type: string; summary: string }[] }).data;
};
const put = ({ as, invoice }: Subject, body: object) => as.put(`/api/invoices/${invoice.id}`).send(body).expect(200);
const oneItem = (unitPrice: string) => ({ taxRate: 0, items: [{ description: 'Work', quantity: 1, unitPrice }] });

/** A link that was made for what was due, as the gateway has it. */
async function link(subject: Subject): Promise<PaymentLink> {
  const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
  await effects.runToEnd(jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').send({}).expect(202)));
  const links = await effects.links(subject.invoice.id);
  return links.at(-1) as PaymentLink;
}

/** Pays a link at the gateway, whose callback leads to the payment. */
async function payLink(subject: Subject, { gatewayId }: PaymentLink): Promise<void> {
  await effects.pay(gatewayId ?? '');
  await eventually(async () => {
    await effects.runEverything(subject.companyId);
    return (await effects.payments(subject.invoice.id)).some((payment) => payment.gatewayId === gatewayId);
  });
}

describe('POST /api/invoices/{id}/payments', () => {
  test('records a payment, and shows it as the list does', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    const body = { amount: '20.50', paidAt: '2026-01-20T10:00:00Z', method: 'bank transfer', reference: 'TX-1' };
    const payment = await recorded(subject, { ...body, note: 'first part' });
    expect(payment).toEqual({
      ...{ id: payment.id, invoiceId: subject.invoice.id, amount: '20.50', currency: 'IDR' },
      ...{ paidAt: '2026-01-20T10:00:00.000Z', method: 'bank transfer', reference: 'TX-1', note: 'first part' },
      ...{ source: 'manual', provider: null, gatewayPaymentId: null, flags: [], refundedAmount: '0.00' },
      ...{ disputedAt: null, voidedAt: null, createdAt: expect.any(String) as string },
    });
    expect(await listOf(subject)).toEqual({
      ...{ data: [payment], total: 1, page: 1, limit: 10, totalPages: 1 },
      balance: { total: '220.00', credited: '0.00', paid: '20.50', due: '199.50', excess: '0.00', currency: 'IDR' },
    });
    expect((await invoiceNow(subject)).status).toBe('sent');
  });

  test('the payment that covers the total › the invoice is paid, at the time of that payment', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    await recorded(subject, { amount: 200, paidAt: '2026-01-22T08:00:00Z' });
    await recorded(subject, { amount: '20.00', paidAt: '2026-01-20T08:00:00Z' });
    expect(await invoiceNow(subject)).toMatchObject({ status: 'paid', paidAt: new Date('2026-01-22T08:00:00Z') });
    const types = (await eventsOf(subject)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['payment.recorded', 'payment.recorded', 'invoice.paid']);
  });

  test('without a currency and a time › it has those of the invoice, and now', async () => {
    const subject = await effects.invoice({ status: 'sent', currency: 'USD' });
    const payment = await recorded(subject, { amount: 5 });
    expect(payment).toMatchObject({ amount: '5.00', currency: 'USD', paidAt: payment.createdAt });
  });

  test.each([
    ['Asia/Jakarta', '2026-01-20T00:00:00.000Z'],
    ['America/New_York', '2026-01-20T05:00:00.000Z'],
    ['Pacific/Auckland', '2026-01-20T00:00:00.000Z'],
  ])('a day in %s › a time that is in that day there and in UTC', async (timezone, paidAt) => {
    const { companyId, token } = await createCompany(effects.services, { timezone });
    const invoice = await createInvoice(effects.services, companyId);
    const { body } = await effects.api.as(token).post(`/api/invoices/${invoice.id}/payments`).send({
      amount: 1,
      paidAt: '2026-01-20',
    });
    expect(body).toMatchObject({ paidAt });
  });

  test('more than the total, another currency, the same reference again › recorded and flagged', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    expect(await recorded(subject, { amount: 50, currency: 'USD', reference: 'A' })).toMatchObject({
      flags: ['wrong_currency'],
    });
    expect(await recorded(subject, { amount: 50, reference: 'A' })).toMatchObject({ flags: [] });
    expect(await recorded(subject, { amount: 50, reference: 'A' })).toMatchObject({ flags: ['possible_duplicate'] });
    expect(await recorded(subject, { amount: 51, reference: 'A' })).toMatchObject({ flags: [] });
    expect(await recorded(subject, { amount: 100 })).toMatchObject({ flags: ['excess'] });
    expect((await listOf(subject)).balance).toEqual({
      ...{ total: '220.00', credited: '0.00', paid: '251.00', due: '0.00', excess: '31.00', currency: 'IDR' },
    });
    const summaries = (await eventsOf(subject)).map(({ summary }) => summary);
    expect(summaries).toContain(
      "Payment of 50.00 USD recorded, in another currency than the invoice's: it covers nothing",
    );
    expect(summaries).toContain('Payment of 100.00 IDR recorded, 31.00 more than the total');
  });

  test('two payments without a reference are no duplicates; a voided one is none of another', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    await recorded(subject, { amount: 10, reference: '' });
    expect(await recorded(subject, { amount: 10, reference: '' })).toMatchObject({ flags: [] });
    await voided(subject, await recorded(subject, { amount: 10, reference: 'B' })).expect(200);
    expect(await recorded(subject, { amount: 10, reference: 'B' })).toMatchObject({ flags: [] });
  });

  test('a cancelled invoice › 409; a deleted or another company’s › 404; a key that only reads › 403', async () => {
    const cancelled = await effects.invoice({ status: 'cancelled' });
    const { body } = await record(cancelled, { amount: 1 }).expect(409);
    expect(body).toMatchObject({ code: 'invoice_cancelled' });
    const deleted = await effects.invoice();
    await deleted.as.delete(`/api/invoices/${deleted.invoice.id}`).expect(200);
    await record(deleted, { amount: 1 }).expect(404);
    await deleted.as.get(pathOf(deleted)).expect(404);
    expect(await listOf(deleted, '?includeDeleted=true')).toMatchObject({ data: [] });
    await record({ ...cancelled, as: deleted.as }, { amount: 1 }).expect(404);
    const { token } = await createKey(effects.services, cancelled.companyId, { scopes: ['read'] });
    await record({ ...cancelled, as: effects.api.as(token) }, { amount: 1 }).expect(403);
  });

  test.each([
    [{}, 'amount'],
    [{ amount: 0 }, 'amount'],
    [{ amount: '-1.00' }, 'amount'],
    [{ amount: '1.005' }, 'amount'],
    [{ amount: '1e2' }, 'amount'],
    [{ amount: 1, currency: 'XX' }, 'currency'],
    [{ amount: 1, paidAt: '2026-02-30' }, 'paidAt'],
    [{ amount: 1, paidAt: 'yesterday' }, 'paidAt'],
    [{ amount: 1, paidAt: '9999-01-01' }, 'paidAt'],
    [{ amount: 1, method: 'x'.repeat(51) }, 'method'],
    [{ amount: 1, reference: 'a\nb' }, 'reference'],
    [{ amount: 1, note: 'x'.repeat(1_001) }, 'note'],
    [{ amount: 1, sum: 2 }, 'sum'],
  ])('a wrong field › 400 that names it: %#', async (body, path) => {
    const subject = await effects.invoice();
    const response = await record(subject, body).expect(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ path }] });
  });

  test('payments whose sum has no place in a decimal › 400', async () => {
    const subject = await effects.invoice();
    await recorded(subject, { amount: '9999999999999.99' });
    const { body } = await record(subject, { amount: '0.01' }).expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'amount' }] });
  });

  test('the same Idempotency-Key › one payment', async () => {
    const subject = await effects.invoice();
    const send = () => record(subject, { amount: 7 }).set('Idempotency-Key', 'once').expect(201);
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect((await listOf(subject)).total).toBe(1);
  });

  test('concurrent payments and voids › the balance is the sum of what counts, and the status follows it', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    const early = await Promise.all(Array.from({ length: 6 }, () => recorded(subject, { amount: '30.01' })));
    await Promise.all([
      ...early.slice(0, 3).map((payment) => voided(subject, payment).expect(200)),
      ...Array.from({ length: 6 }, (_, n) => recorded(subject, { amount: `${n + 1}.10` })),
    ]);
    const { data, balance } = await listOf(subject, '?limit=100');
    const counted = data.filter(({ voidedAt }) => voidedAt === null);
    expect(counted).toHaveLength(9);
    const paid = counted.reduce((sum, { amount }) => sum + parseDecimal(amount), 0n);
    expect(balance).toMatchObject({ paid: formatDecimal(paid), due: formatDecimal(22_000n - paid) });
    expect((await invoiceNow(subject)).status).toBe('sent');
  });
});

describe('DELETE /api/invoices/{id}/payments/{paymentId}', () => {
  test('a paid invoice that is no longer covered is sent again, or overdue, and never a draft', async () => {
    for (const [dueDate, status] of [
      ['2099-01-01', 'sent'],
      ['2026-01-16', 'overdue'],
    ] as const) {
      const subject = await effects.invoice({ status: 'draft', dueDate });
      const payment = await recorded(subject, { amount: 220 });
      expect((await invoiceNow(subject)).status).toBe('paid');
      await voided(subject, payment).expect(200, { message: 'Payment voided successfully' });
      expect(await invoiceNow(subject)).toMatchObject({ status, paidAt: null });
      const { data, balance } = await listOf(subject);
      expect(data).toMatchObject([{ id: payment.id, voidedAt: expect.any(String) as string }]);
      expect(balance).toMatchObject({ paid: '0.00', due: '220.00' });
    }
  });

  test('twice › nothing more; unknown or of another invoice › 404', async () => {
    const subject = await effects.invoice();
    const payment = await recorded(subject, { amount: 1 });
    await voided(subject, payment).expect(200);
    await voided(subject, payment).expect(200);
    expect((await eventsOf(subject)).filter(({ type }) => type === 'payment.voided')).toHaveLength(1);
    await voided(subject, { id: payment.id + 1 }).expect(404);
    const other = await createInvoice(effects.services, subject.companyId);
    await voided({ ...subject, invoice: other }, payment).expect(404);
  });

  test('a payment of the gateway › 409', async () => {
    const subject = await effects.invoice();
    await payLink(subject, await link(subject));
    const [payment] = (await listOf(subject)).data;
    const { body } = await voided(subject, payment ?? { id: 0 }).expect(409);
    expect(body).toMatchObject({ code: 'payment_not_voidable' });
  });

  test('a paid that a person set stays, whatever is voided', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    const payment = await recorded(subject, { amount: 20 });
    await put(subject, { status: 'paid' });
    await voided(subject, payment).expect(200);
    expect((await invoiceNow(subject)).status).toBe('paid');
  });
});

describe('a changed total', () => {
  test('is judged again by what was paid of it', async () => {
    const subject = await effects.invoice({ status: 'sent', dueDate: '2099-01-01', ...oneItem('100.00') });
    await recorded(subject, { amount: 60, paidAt: '2026-01-20T08:00:00Z' });
    await put(subject, oneItem('60.00'));
    expect(await invoiceNow(subject)).toMatchObject({ status: 'paid', paidAt: new Date('2026-01-20T08:00:00Z') });
    await put(subject, oneItem('60.01'));
    expect(await invoiceNow(subject)).toMatchObject({ status: 'sent', paidAt: null });
    expect((await listOf(subject)).balance).toMatchObject({ due: '0.01' });
  });

  test('leaves a paid that a person set, and a status that the request sets', async () => {
    const byHand = await effects.invoice({ status: 'paid', ...oneItem('100.00') });
    await put(byHand, oneItem('200.00'));
    expect((await invoiceNow(byHand)).status).toBe('paid');
    const covered = await effects.invoice({ status: 'sent', ...oneItem('100.00') });
    await recorded(covered, { amount: 100 });
    await put(covered, { ...oneItem('150.00'), status: 'cancelled' });
    expect((await invoiceNow(covered)).status).toBe('cancelled');
  });

  test('in another currency is covered by nothing that was paid before', async () => {
    const subject = await effects.invoice({ status: 'sent', dueDate: '2099-01-01', ...oneItem('100.00') });
    await recorded(subject, { amount: 100 });
    await put(subject, { currency: 'EUR' });
    expect((await invoiceNow(subject)).status).toBe('sent');
    expect((await listOf(subject)).balance).toMatchObject({ paid: '0.00', due: '100.00', currency: 'EUR' });
  });
});

describe('payment links beside payments', () => {
  test('a link that is made after a part payment asks for what is due, and paying it settles the invoice', async () => {
    const subject = await effects.invoice({ status: 'sent', ...oneItem('1000.50') });
    await recorded(subject, { amount: '400.20' });
    const made = await link(subject);
    expect(made).toMatchObject({ total: '600.30', amount: '600.00', status: 'active' });
    await payLink(subject, made);
    expect((await invoiceNow(subject)).status).toBe('paid');
    const { data, balance } = await listOf(subject);
    expect(balance).toMatchObject({ paid: '1000.50', due: '0.00', excess: '0.00' });
    expect(data.map(({ source, provider, flags }) => ({ source, provider, flags }))).toEqual([
      { source: 'gateway', provider: 'xendit', flags: [] },
      { source: 'manual', provider: null, flags: [] },
    ]);
  });

  test('a payment elsewhere expires the open link; one that wins the race is in excess', async () => {
    const subject = await effects.invoice({ status: 'sent' });
    const made = await link(subject);
    await recorded(subject, { amount: 20 });
    await effects.runEverything(subject.companyId);
    expect(await effects.payable(subject.invoice.id)).toEqual([]);
    const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/payment-links`).expect(200);
    expect(body).toMatchObject({ data: [{ id: made.id, status: 'expired', amount: '220.00', provider: 'xendit' }] });

    const raced = await effects.invoice({ status: 'sent' });
    const { gatewayId } = await link(raced);
    await effects.pay(gatewayId ?? '');
    await recorded(raced, { amount: 20 });
    await effects.runEverything(raced.companyId);
    expect((await listOf(raced)).balance).toMatchObject({ paid: '240.00', excess: '20.00' });
    expect((await listOf(raced)).data.flatMap(({ flags }) => flags)).toEqual(['excess']);
  });

  test('nothing is due › 409', async () => {
    const subject = await effects.invoice({ status: 'draft' });
    await recorded(subject, { amount: 220 });
    await subject.as.post(`/api/invoices/${subject.invoice.id}/create-gateway-invoice`).send({}).expect(409);
  });
});

test('the list and the balance read the payments of the invoice alone', async () => {
  const subject = await effects.invoice();
  await recorded(subject, { amount: 1 });
  const request = { page: 1, limit: 10, sortBy: 'paidAt', sortOrder: 'desc', includeDeleted: false } as const;
  const plans = await plansOf(effects.services.sql, (sql) =>
    listPayments(sql, subject.companyId, subject.invoice.id, request),
  );
  const keys = plans.flat().flatMap(({ table, key }) => (['p', 'b'].includes(table) ? [key] : []));
  expect(new Set(keys)).toEqual(new Set(['payments_by_invoice', 'PRIMARY']));
});
