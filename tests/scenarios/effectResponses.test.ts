import { literal } from 'sequelize';
import type { Response } from 'supertest';
import { Invoice, Job } from '../../shared/models';
import { Email } from '../support/models';
import { createClient } from '../support/factories';
import { eventually } from '../support/eventually';
import { Effects, type Subject } from '../support/workers';

/** The API waits for real workers. A link whose call broke off is looked for once the gateway's time-out has passed. */
let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start({ GATEWAY_TIMEOUT_MS: '5000' });
  await effects.startPool(['email', 'pdf', 'payment-link']);
  effects.startSchedules();
});
beforeEach(async () => {
  await effects.mailFault({ reset: true });
  await effects.gatewayFault({ reset: true });
});

const sendEmail = ({ as, invoice }: Subject) => as.post(`/api/invoices/${invoice.id}/send-email`);
const createLink = ({ as, invoice }: Subject, body: object = {}) =>
  as.post(`/api/invoices/${invoice.id}/create-gateway-invoice`).send(body);
const statusOf = async ({ invoice }: Subject) =>
  (await Invoice.findOne({ where: { id: invoice.id }, rejectOnEmpty: true })).status;
const codeOf = (response: Response) => (response.body as { code: string }).code;
const lastChance = (name: string, companyId: number) =>
  Job.update({ attempt: literal('uncounted + maxAttempt - 1') }, { where: { companyId, name } });

describe('send-email', () => {
  test('responds with 200 with the provider’s id, and the draft is sent', async () => {
    const subject = await effects.invoice();
    const { body } = await sendEmail(subject).expect(200);
    const [email] = await effects.emails(subject.invoice.id);
    expect(body).toEqual({ message: expect.any(String) as string, data: { id: email?.providerMessageId } });
    expect(await statusOf(subject)).toBe('sent');
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test('under one Idempotency-Key sends one message, however often it is requested, also concurrently', async () => {
    const subject = await effects.invoice();
    const ask = () => sendEmail(subject).set('Idempotency-Key', 'once');
    const together = await Promise.all([ask(), ask(), ask()]);
    expect(together.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const again = await ask().expect(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(together.find(({ status }) => status === 200)?.body);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test('sends one message for each of several requests without a key', async () => {
    const subject = await effects.invoice();
    const ids = (await Promise.all([sendEmail(subject).expect(200), sendEmail(subject).expect(200)])).map(
      ({ body }) => (body as { data: { id: string } }).data.id,
    );
    expect(new Set(ids).size).toBe(2);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(2);
  });

  test('responds with 502 when the server refuses, and leaves the draft and a job to look at', async () => {
    const subject = await effects.invoice();
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    expect(codeOf(await sendEmail(subject).expect(502))).toBe('email_refused');
    expect(await statusOf(subject)).toBe('draft');
    const [job] = await effects.jobs(subject.companyId);
    const { body } = await subject.as.get(`/api/jobs/${job?.id ?? 0}`).expect(200);
    expect(body).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'email_refused', status: 502 } });
  });

  test('is retried in time, and responds with 200', async () => {
    const subject = await effects.invoice();
    await effects.mailFault({ mode: 'refuse', stage: 'reply', code: 451 });
    await sendEmail(subject).expect(200);
    expect((await effects.jobs(subject.companyId)).map(({ attempt }) => attempt)).toEqual([2]);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test.each(['hang', 'break'])(
    'responds with 504 delivery_uncertain when the acceptance is lost (%s), also the second time under the key',
    async (mode) => {
      const subject = await effects.invoice();
      const ask = () => sendEmail(subject).set('Idempotency-Key', 'uncertain');
      const { email } = effects.shortTimeouts();
      jest.spyOn(effects.tools.email, 'send').mockImplementationOnce((...given) => email.send(...given));
      await effects.mailFault({ mode, stage: 'reply' });
      expect(codeOf(await ask().expect(504))).toBe('delivery_uncertain');
      expect(codeOf(await ask().expect(504))).toBe('delivery_uncertain');
      expect(await effects.jobs(subject.companyId)).toMatchObject([{ status: 'uncertain', attempt: 1 }]);
      expect(await Email.findAll({ where: { invoiceId: subject.invoice.id } })).toMatchObject([
        { status: 'uncertain' },
      ]);
      expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
      expect(await statusOf(subject)).toBe('draft');
    },
  );

  test('that failed is retried by the same request under its key: the same job, one message', async () => {
    const subject = await effects.invoice();
    const ask = () => sendEmail(subject).set('Idempotency-Key', 'retry');
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    await ask().expect(502);
    await ask().expect(200);
    expect(await effects.jobs(subject.companyId)).toMatchObject([{ status: 'done', attempt: 2 }]);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test('responds with 504 when the last attempt fails', async () => {
    const subject = await effects.invoice();
    await effects.mailFault({ mode: 'refuse', stage: 'mail', code: 451, times: 2 });
    const sending = sendEmail(subject).then((response) => response);
    await eventually(async () => (await effects.jobs(subject.companyId)).some(({ attempt }) => attempt === 1));
    await eventually(async () => (await effects.jobs(subject.companyId)).some(({ status }) => status === 'pending'));
    await lastChance('sendInvoiceEmail', subject.companyId);
    const response = await sending;
    expect(response.status).toBe(504);
    expect(codeOf(response)).toBe('email_unavailable');
  });

  test('responds as the status says: 409 cancelled, 400 without an address', async () => {
    const cancelled = await effects.invoice({ status: 'cancelled' });
    expect(codeOf(await sendEmail(cancelled).expect(409))).toBe('invoice_cancelled');
    const { id: clientId } = await createClient(effects.services, cancelled.companyId, { email: null });
    const { body } = await cancelled.as
      .put(`/api/invoices/${cancelled.invoice.id}`)
      .send({ clientId, status: 'draft' })
      .expect(200);
    expect(body).toMatchObject({ client: { id: clientId } });
    expect(codeOf(await sendEmail(cancelled).expect(400))).toBe('client_without_email');
    expect(await effects.jobs(cancelled.companyId, 'sendInvoiceEmail')).toEqual([]);
  });
});

describe('create-gateway-invoice', () => {
  test('requested twenty times at the same time makes one link, which every response has', async () => {
    const subject = await effects.invoice();
    const responses = await Promise.all(Array.from({ length: 20 }, () => createLink(subject).expect(200)));
    const urls = responses.map(({ body }) => (body as { gatewayInvoiceUrl: string }).gatewayInvoiceUrl);
    expect(new Set(urls).size).toBe(1);
    expect(effects.sandbox.faults.calls).toMatchObject({ create: 1 });
    expect(await effects.payable(subject.invoice.id)).toHaveLength(1);
    expect(await statusOf(subject)).toBe('sent');
  });

  test('returns the usable link without calling the gateway, and makes a draft sent', async () => {
    const subject = await effects.invoice();
    const first = await createLink(subject).expect(200);
    await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ status: 'draft' }).expect(200);
    await effects.gatewayFault({ reset: true });
    const second = await createLink(subject).expect(200);
    expect(second.body).toMatchObject({
      gatewayInvoiceUrl: (first.body as { gatewayInvoiceUrl: string }).gatewayInvoiceUrl,
      invoice: { status: 'sent' },
    });
    expect(effects.sandbox.faults.calls).toEqual({ create: 0, get: 0, list: 0, expire: 0 });
  });

  test('with regenerate, or for another total or currency, makes a new link and expires the old one', async () => {
    const subject = await effects.invoice({ currency: 'USD' });
    await createLink(subject).expect(200);
    for (const prepare of [
      () => createLink(subject, { regenerate: true }).expect(200),
      async () => {
        await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ taxRate: 20 }).expect(200);
        await createLink(subject).expect(200);
      },
      async () => {
        await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ currency: 'EUR' }).expect(200);
        await createLink(subject).expect(200);
      },
    ]) {
      const before = await effects.payable(subject.invoice.id);
      await prepare();
      const after = await effects.payable(subject.invoice.id);
      expect(after).toHaveLength(1);
      expect(after).not.toEqual(before);
    }
    expect(await effects.atGateway(subject.invoice.id)).toMatchObject([
      { status: 'EXPIRED', amount: 220, currency: 'USD' },
      { status: 'EXPIRED', amount: 220, currency: 'USD' },
      { status: 'EXPIRED', amount: 240, currency: 'USD' },
      { status: 'PENDING', amount: 240, currency: 'EUR' },
    ]);
  });

  test('regenerated many times at the same time leaves one link that can be paid', async () => {
    const subject = await effects.invoice();
    await Promise.all(Array.from({ length: 8 }, () => createLink(subject, { regenerate: true }).expect(200)));
    await Promise.all(Array.from({ length: 8 }, () => createLink(subject, { regenerate: true }).expect(200)));
    expect(await effects.payable(subject.invoice.id)).toHaveLength(1);
  });

  test('responds with 409 for paid and cancelled invoices, and for a total that the gateway cannot charge', async () => {
    for (const status of ['paid', 'cancelled'] as const) {
      expect(codeOf(await createLink(await effects.invoice({ status })).expect(409))).toBe('invoice_not_payable');
    }
    const items = (unitPrice: string) => ({ items: [{ description: 'x', quantity: 1, unitPrice }], taxRate: 0 });
    for (const tooLittle of ['0.40', '0.00']) {
      const subject = await effects.invoice({ currency: 'IDR', ...items(tooLittle) });
      expect(codeOf(await createLink(subject).expect(409))).toBe('nothing_to_pay');
    }
    expect(effects.sandbox.faults.calls.create).toBe(0);
  });

  test('responds with 502 when the gateway refuses, and the invoice is unchanged', async () => {
    for (const status of [400, 401]) {
      const subject = await effects.invoice();
      await effects.gatewayFault({ mode: 'fail', operation: 'create', status });
      expect(codeOf(await createLink(subject).expect(502))).toBe('gateway_refused');
      const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}`).expect(200);
      expect(body).toMatchObject({ status: 'draft', gatewayInvoiceId: null, gatewayInvoiceUrl: null });
    }
  });

  test('outlasts a gateway that breaks off after the work, and responds with 200 with the one link', async () => {
    const subject = await effects.invoice();
    await effects.gatewayFault({ mode: 'break', operation: 'create', work: true });
    await createLink(subject).expect(200);
    expect(await effects.atGateway(subject.invoice.id)).toHaveLength(1);
    expect(effects.sandbox.faults.calls.create).toBe(1);
  });
});

describe('a payment', () => {
  const callback = (body: object, token: string | null) =>
    fetch(`${effects.api.url}/webhooks/gateway/xendit`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token !== null && { 'x-callback-token': token }) },
      body: JSON.stringify(body),
    });
  const token = () => effects.farSides.env['XENDIT_CALLBACK_TOKEN'] ?? '';
  const linked = async (changes: Parameters<Effects['invoice']>[0] = {}) => {
    const subject = await effects.invoice(changes);
    await createLink(subject).expect(200);
    const [linkId = ''] = await effects.payable(subject.invoice.id);
    return { ...subject, linkId };
  };
  const settled = (subject: Subject) =>
    eventually(async () =>
      (await effects.jobs(subject.companyId)).every(({ status }) => status !== 'pending' && status !== 'running'),
    );
  const becomesPaid = (subject: Subject) => eventually(async () => (await statusOf(subject)) === 'paid');

  test('makes the invoice paid with the payment’s time, once, however often and late it is reported', async () => {
    const subject = await linked();
    await effects.pay(subject.linkId);
    await becomesPaid(subject);
    const paid = effects.sandbox.links.get(subject.linkId);
    for (const body of [paid, { ...paid, status: 'PENDING' }, paid, { ...paid, status: 'EXPIRED' }]) {
      expect((await callback(body ?? {}, token())).status).toBe(200);
    }
    await settled(subject);
    const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}`).expect(200);
    expect(body).toMatchObject({ status: 'paid', paidAt: paid?.paid_at });
    expect(await effects.payments(subject.invoice.id)).toMatchObject([{ amount: '220.00', settles: '220.00' }]);
    expect(await effects.eventsOf(subject.invoice.id, 'invoice.paid')).toHaveLength(1);
  });

  test('that rounds up to whole units settles the invoice, and nothing is in excess', async () => {
    const items = [{ description: 'x', quantity: 1, unitPrice: '1000.50' }];
    const subject = await linked({ currency: 'IDR', items, taxRate: 0 });
    await effects.pay(subject.linkId);
    await becomesPaid(subject);
    expect(await effects.payments(subject.invoice.id)).toMatchObject([{ amount: '1001.00', settles: '1000.50' }]);
    const [received] = await effects.eventsOf(subject.invoice.id, 'payment.received');
    expect(received).not.toHaveProperty('excess');
  });

  test('on an old link, that no callback reported, counts, and expires the link that replaced it', async () => {
    const subject = await linked();
    await effects.gatewayFault({ callbacks: false });
    await effects.pay(subject.linkId);
    const { body } = await createLink(subject, { regenerate: true }).expect(409);
    expect(body).toMatchObject({ code: 'invoice_not_payable' });
    await becomesPaid(subject);
    await settled(subject);
    expect(await effects.payable(subject.invoice.id)).toEqual([]);
    expect((await effects.links(subject.invoice.id)).map(({ status }) => status)).toEqual(['paid', 'expired']);
    expect(await effects.payments(subject.invoice.id)).toHaveLength(1);
  });

  test('of an invoice that is cancelled by then is recorded, and changes no status', async () => {
    const subject = await linked();
    await effects.gatewayFault({ callbacks: false });
    await effects.pay(subject.linkId);
    await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ status: 'cancelled' }).expect(200);
    await eventually(async () => (await effects.payments(subject.invoice.id)).length === 1);
    await settled(subject);
    expect(await statusOf(subject)).toBe('cancelled');
  });

  test('of less than the total does not make it paid, and what is above is flagged', async () => {
    const less = await linked();
    await effects.pay(less.linkId, 100);
    await eventually(async () => (await effects.payments(less.invoice.id)).length === 1);
    expect(await statusOf(less)).toBe('sent');
    const more = await linked();
    await effects.pay(more.linkId, 250);
    await becomesPaid(more);
    expect(await effects.eventsOf(more.invoice.id, 'payment.received')).toMatchObject([{ excess: '30.00' }]);
  });

  test('in another currency than the invoice has by now is recorded and covers nothing', async () => {
    const subject = await linked({ currency: 'USD' });
    await subject.as.put(`/api/invoices/${subject.invoice.id}`).send({ currency: 'EUR' }).expect(200);
    await effects.pay(subject.linkId);
    await eventually(async () => (await effects.payments(subject.invoice.id)).length === 1);
    expect(await effects.payments(subject.invoice.id)).toMatchObject([{ currency: 'USD', settles: '0.00' }]);
    expect(await statusOf(subject)).toBe('sent');
    expect(await effects.eventsOf(subject.invoice.id, 'payment.received')).toMatchObject([{ otherCurrency: true }]);
  });

  test('is accepted only with the token, and only as the gateway itself shows it', async () => {
    const subject = await linked();
    const forged = { ...effects.sandbox.links.get(subject.linkId), status: 'PAID', paid_amount: 220 };
    for (const wrong of [null, '', 'guessed', `${token()}x`]) expect((await callback(forged, wrong)).status).toBe(401);
    expect(await effects.jobs(subject.companyId, 'syncPaymentLink')).toEqual([]);
    expect((await callback(forged, token())).status).toBe(200);
    await settled(subject);
    expect(await statusOf(subject)).toBe('sent');
    expect(await effects.payments(subject.invoice.id)).toEqual([]);
  });

  test('of a link that is not ours is acknowledged and ignored', async () => {
    const body = { id: 'unknown', external_id: '00000000-0000-4000-8000-000000000000', status: 'PAID' };
    expect((await callback(body, token())).status).toBe(200);
    expect((await callback({ event: 'of another product' }, token())).status).toBe(200);
    const elsewhere = await fetch(`${effects.api.url}/webhooks/gateway/nobody`, { method: 'POST' });
    expect(elsewhere.status).toBe(404);
  });

  test('is not possible any more once the invoice is cancelled or deleted', async () => {
    const cancelled = await linked();
    await cancelled.as.put(`/api/invoices/${cancelled.invoice.id}`).send({ status: 'cancelled' }).expect(200);
    const deleted = await linked();
    await deleted.as.delete(`/api/invoices/${deleted.invoice.id}`).expect(200);
    for (const { invoice } of [cancelled, deleted]) {
      await eventually(async () => (await effects.payable(invoice.id)).length === 0);
      await eventually(async () => (await effects.links(invoice.id))[0]?.status === 'expired');
    }
  });
});
