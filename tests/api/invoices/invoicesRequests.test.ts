import { randomUUID } from 'node:crypto';
import { Company, Job, PaymentLink } from '../../../shared/models';
import { Email } from '../../support/models';
import { pdfFileKey } from '../../../shared/invoiceDocuments/invoicePdf';
import { loadInvoiceDocument } from '../../../shared/invoiceDocuments/loadInvoiceDocument';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

/** What the API does by itself: no worker runs here. */
let api: TestApi;
let caller: Caller;
let companyId: number;

beforeAll(async () => {
  api = await startApi({ env: { JOB_WAIT_MS: '20' } });
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const create = async (changes: object = {}): Promise<number> =>
  (await createInvoice(api.services, companyId, changes)).id;
const jobs = (): Promise<number> => Job.count({ where: { companyId } });

/** 202 with the job's address, which shows it to its company. */
async function expectAccepted(path: string, body: object, prefer: string): Promise<number> {
  const response = await caller.post(path).set('Prefer', prefer).send(body).expect(202);
  const { jobId } = (response.body as { data: { jobId: number } }).data;
  expect(response.body).toEqual({
    message: expect.any(String) as string,
    data: { jobId: expect.any(Number) as number },
  });
  expect(response.headers['location']).toBe(`/api/jobs/${jobId}`);
  const job = await caller.get(`/api/jobs/${jobId}`).expect(200);
  expect(job.body).toEqual({
    id: jobId,
    name: expect.any(String) as string,
    status: 'pending',
    attempt: 0,
    attemptsUsed: 0,
    attemptsAllowed: expect.any(Number) as number,
    nextAttemptAt: timestamp,
    paused: false,
    result: null,
    error: null,
    createdAt: timestamp,
    startedAt: null,
    endedAt: null,
  });
  return jobId;
}

describe('POST /api/invoices/{id}/send-email', () => {
  test.each(['respond-async', 'wait=5, respond-async', 'Respond-Async'])(
    'Prefer: %s › 202 with the job',
    async (prefer) => {
      const id = await create();
      await expectAccepted(`/api/invoices/${id}/send-email`, {}, prefer);
      expect((await caller.get(`/api/invoices/${id}`)).body).toMatchObject({ status: 'draft' });
    },
  );

  test('no worker in time › 202 with the job, and the draft is still one', async () => {
    const id = await create();
    await expectAccepted(`/api/invoices/${id}/send-email`, {}, 'wait=1');
    expect((await caller.get(`/api/invoices/${id}`)).body).toMatchObject({ status: 'draft' });
  });

  test('202 › says for how long the message is tried', async () => {
    const path = `/api/invoices/${await create()}/send-email`;
    const { body } = await caller.post(path).set('Prefer', 'respond-async').expect(202);
    expect(body).toMatchObject({ message: expect.stringMatching(/not been sent yet.* two days/) as string });
  });

  test('every request › is a message of its own', async () => {
    const id = await create({ status: 'sent' });
    const path = `/api/invoices/${id}/send-email`;
    const first = await expectAccepted(path, {}, 'respond-async');
    expect(await expectAccepted(path, {}, 'respond-async')).not.toBe(first);
    expect(await Email.count({ where: { companyId, invoiceId: id } })).toBe(2);
  });

  test.each(['sent', 'paid', 'overdue'])('a %s invoice › can be sent', async (status) => {
    await expectAccepted(`/api/invoices/${await create({ status })}/send-email`, {}, 'respond-async');
  });

  test('the client has no address › 400', async () => {
    const { id: clientId } = await createClient(api.services, companyId, { email: null });
    const response = await caller.post(`/api/invoices/${await create({ clientId })}/send-email`).expect(400);
    expect(response.body).toMatchObject({ code: 'client_without_email' });
    expect(response.body).not.toHaveProperty('errors');
    expect(await jobs()).toBe(0);
  });

  test.each([{ email: null }, { email: '' }, { name: '' }])(
    'the company has %j › 404, before the client’s address is looked at',
    async (sender) => {
      await Company.update(sender, { where: { id: companyId } });
      const { id: clientId } = await createClient(api.services, companyId, { email: null });
      const response = await caller.post(`/api/invoices/${await create({ clientId })}/send-email`).expect(404);
      expect(response.body).toMatchObject({ code: 'sender_not_found' });
      expect(await jobs()).toBe(0);
    },
  );

  test('a cancelled invoice › 409, before the sender is looked at', async () => {
    await Company.update({ email: null }, { where: { id: companyId } });
    const response = await caller.post(`/api/invoices/${await create({ status: 'cancelled' })}/send-email`).expect(409);
    expect(response.body).toMatchObject({ code: 'invoice_cancelled' });
  });

  test('an unknown invoice › 404; a body with a field › 400', async () => {
    const response = await caller.post('/api/invoices/999999/send-email').expect(404);
    expect(response.body).toMatchObject({ code: 'not_found' });
    await caller.post('/api/invoices/999999/send-email').send({ to: 'x@y.example' }).expect(400);
    await caller
      .post(`/api/invoices/${await create()}/send-email`)
      .send({})
      .set('Prefer', 'respond-async')
      .expect(202);
  });
});

describe('POST /api/invoices/{id}/create-gateway-invoice', () => {
  const pathOf = (id: number): string => `/api/invoices/${id}/create-gateway-invoice`;

  async function addLink(invoiceId: number, changes: object = {}): Promise<void> {
    const now = new Date();
    await PaymentLink.create({
      companyId,
      invoiceId,
      provider: 'xendit',
      reference: randomUUID(),
      gatewayId: 'gw-1',
      url: 'https://pay.example/gw-1',
      status: 'active',
      total: '220.00',
      amount: '220.00',
      currency: 'IDR',
      expiresAt: new Date(now.getTime() + 60_000),
      pollAt: new Date(now.getTime() + 60_000),
      createdAt: now,
      updatedAt: now,
      ...changes,
    });
    const shown = ['gw-1', 'https://pay.example/gw-1', companyId, invoiceId];
    await api.services.sql.run(
      'UPDATE invoices SET gatewayInvoiceId = ?, gatewayInvoiceUrl = ? WHERE companyId = ? AND id = ?',
      shown,
    );
  }

  test.each(['draft', 'sent', 'overdue'])(
    'a %s invoice › 202 with the job when the response is not waited for',
    async (status) => {
      const id = await create({ status });
      await expectAccepted(pathOf(id), {}, 'respond-async');
      expect((await caller.get(`/api/invoices/${id}`)).body).toMatchObject({ status, gatewayInvoiceId: null });
    },
  );

  test('requests at the same time › share one job', async () => {
    const id = await create();
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => caller.post(pathOf(id)).send(n % 2 ? {} : { regenerate: true })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(202));
    expect(new Set(responses.map(({ headers }) => headers['location'] as string)).size).toBe(1);
    expect(await jobs()).toBe(1);
  });

  test('a usable link › is returned with exactly its fields, without a job; a draft becomes sent', async () => {
    const id = await create();
    await addLink(id);
    const { clientId } = (await caller.get(`/api/invoices/${id}`)).body as { clientId: number };
    const response = await caller.post(pathOf(id)).send({ regenerate: false }).expect(200);
    expect(response.body).toEqual({
      message: expect.any(String) as string,
      gatewayInvoiceUrl: 'https://pay.example/gw-1',
      invoice: {
        id,
        companyId,
        clientId,
        invoiceNumber: 'INV-2026-00001',
        status: 'sent',
        issueDate: '2026-01-15T00:00:00.000Z',
        dueDate: '2026-02-14T00:00:00.000Z',
        total: '220.00',
        subtotal: '200.00',
        taxAmount: '20.00',
        currency: 'IDR',
        notes: 'Thank you',
        gatewayInvoiceId: 'gw-1',
        gatewayInvoiceUrl: 'https://pay.example/gw-1',
        createdAt: timestamp,
        updatedAt: timestamp,
        softDelete: false,
      },
    });
    expect(await jobs()).toBe(0);
  });

  test('a usable link of an overdue invoice › leaves it overdue', async () => {
    const id = await create({ status: 'overdue' });
    await addLink(id);
    expect((await caller.post(pathOf(id)).expect(200)).body).toMatchObject({ invoice: { status: 'overdue' } });
  });

  test('the response of create-gateway-invoice, put back › is accepted', async () => {
    const id = await create();
    await addLink(id);
    const { body } = await caller.post(pathOf(id)).expect(200);
    await caller
      .put(`/api/invoices/${id}`)
      .send((body as { invoice: object }).invoice)
      .expect(200);
  });

  test.each([
    [{ status: 'expired' }],
    [{ status: 'superseded' }],
    [{ total: '219.99' }],
    [{ currency: 'USD' }],
    [{ expiresAt: new Date(0) }],
  ])('a link with %j › is not usable: a new one is made', async (changes) => {
    const id = await create();
    await addLink(id, changes);
    await caller.post(pathOf(id)).expect(202);
  });

  test('regenerate › makes a new link beside a usable one', async () => {
    const id = await create();
    await addLink(id);
    await caller.post(pathOf(id)).send({ regenerate: true }).expect(202);
  });

  test('the 1,001st link of an invoice › 409 limit_reached; a usable one is still returned', async () => {
    const id = await create();
    await addLink(id);
    await api.services.sql.run(
      `INSERT INTO payment_links (companyId, invoiceId, provider, reference, gatewayId, status, total, amount, currency, pollAt, createdAt, updatedAt)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        SELECT ?, ?, 'xendit', UUID(), UUID(), 'expired', 1, 1, 'IDR', NOW(3), NOW(3), NOW(3) FROM n`,
      [companyId, id],
    );
    const { body } = await caller.post(pathOf(id)).send({ regenerate: true }).expect(409);
    expect(body).toMatchObject({ code: 'limit_reached', detail: expect.stringContaining('1000') as string });
    expect(await jobs()).toBe(0);
    await caller.post(pathOf(id)).expect(200);
  });

  const price = (unitPrice: string): object => ({ items: [{ description: 'x', quantity: 1, unitPrice }], taxRate: 0 });
  test.each([
    ['paid', { status: 'paid' }, 'invoice_not_payable'],
    ['cancelled', { status: 'cancelled' }, 'invoice_not_payable'],
    ['a total of 0.00', price('0'), 'nothing_to_pay'],
    ['a total of 0.49 IDR', price('0.49'), 'nothing_to_pay'],
  ])('%s › 409 and no job', async (_, changes, code) => {
    const response = await caller.post(pathOf(await create(changes))).expect(409);
    expect(response.body).toMatchObject({ code });
    expect(await jobs()).toBe(0);
  });

  test.each([price('0.50'), { ...price('0.01'), currency: 'USD' }])('%j › can be paid', async (changes) => {
    await caller.post(pathOf(await create(changes))).expect(202);
  });

  test('an unknown invoice › 404; regenerate that is no boolean, an unknown field › 400', async () => {
    await caller.post(pathOf(999_999)).expect(404);
    for (const body of [{ regenerate: 'true' }, { regenerate: null }, { force: true }]) {
      const response = await caller.post(pathOf(999_999)).send(body).expect(400);
      expect(response.body).toMatchObject({ errors: [{ path: Object.keys(body)[0] }] });
    }
  });
});

describe('GET /api/invoices/{id}/pdf', () => {
  test('a stored rendering › is sent as an attachment named by the number', async () => {
    const id = await create({ invoiceNumber: 'Fäktura/7 "α"' });
    const { key } = await loadInvoiceDocument(api.services, companyId, id);
    await api.services.files.put(pdfFileKey(companyId, key), Buffer.from('%PDF-1.7 stored'));
    const response = await caller.get(`/api/invoices/${id}/pdf`).expect(200);
    expect((response.body as Buffer).toString()).toBe('%PDF-1.7 stored');
    expect(response.headers['content-type']).toBe('application/pdf');
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="invoice-[\x20-\x7e]+\.pdf"; filename\*=UTF-8''invoice-F%C3%A4ktura[\w%.-]+\.pdf$/,
    );
  });

  test('a plain number › has a plain file name', async () => {
    const id = await create();
    const { key } = await loadInvoiceDocument(api.services, companyId, id);
    await api.services.files.put(pdfFileKey(companyId, key), Buffer.from('%PDF'));
    const { headers } = await caller.get(`/api/invoices/${id}/pdf`).expect(200);
    expect(headers['content-disposition']).toBe('attachment; filename="invoice-INV-2026-00001.pdf"');
  });

  test('not stored and not rendered in time › 503 with Retry-After', async () => {
    const response = await caller.get(`/api/invoices/${await create()}/pdf`).expect(503);
    expect(response.body).toMatchObject({ code: 'render_failed' });
    expect(response.headers['retry-after']).toMatch(/^\d+$/);
  });

  test('an unknown invoice › 404', async () => {
    await caller.get('/api/invoices/999999/pdf').expect(404);
  });
});
