import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let client: { id: number; name: string; email: string | null };

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  const { id, name, email } = await createClient(api.services, companyId);
  client = { id, name, email };
});

const id = expect.any(Number) as number;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

async function create(changes: object = {}): Promise<Record<string, unknown> & { id: number }> {
  const body = { ...invoiceInput(client.id), ...changes };
  const response = await caller.post('/api/invoices').send(body).expect(201);
  return response.body as Record<string, unknown> & { id: number };
}

function detail(changes: object = {}): object {
  return {
    id,
    companyId,
    clientId: client.id,
    invoiceNumber: 'INV-2026-00001',
    status: 'draft',
    issueDate: '2026-01-15T00:00:00.000Z',
    dueDate: '2026-02-14T00:00:00.000Z',
    subtotal: '200.00',
    tax: '20.00',
    taxRate: '10.00',
    total: '220.00',
    notes: 'Thank you',
    currency: 'IDR',
    gatewayInvoiceId: null,
    gatewayInvoiceUrl: null,
    recurring: 'none',
    nextDueDate: null,
    createdAt: timestamp,
    updatedAt: timestamp,
    paidAt: null,
    softDelete: false,
    client,
    items: [{ id, invoiceId: id, description: 'Consulting', quantity: '2.00', unitPrice: '100.00', amount: '200.00' }],
    ...changes,
  };
}

describe('POST /api/invoices', () => {
  test('a valid body › is created › 201 with exactly the fields of an invoice and where it is', async () => {
    const response = await caller.post('/api/invoices').send(invoiceInput(client.id)).expect(201);
    const invoice = response.body as { id: number; items: { invoiceId: number }[] };
    expect(invoice).toEqual(detail());
    expect(invoice.items[0]?.invoiceId).toBe(invoice.id);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      location: `/api/invoices/${invoice.id}`,
      etag: expect.stringMatching(/^"[^"]+"$/) as string,
    });
  });

  test('only the required fields › the others get their defaults', async () => {
    const items = [{ description: 'Work', quantity: 1, unitPrice: '10' }];
    const response = await caller
      .post('/api/invoices')
      .send({ clientId: client.id, issueDate: '2026-01-15', dueDate: '2026-01-15', items })
      .expect(201);
    expect(response.body).toEqual(
      detail({
        dueDate: '2026-01-15T00:00:00.000Z',
        subtotal: '10.00',
        tax: '0.00',
        taxRate: '0.00',
        total: '10.00',
        notes: '',
        items: [{ id, invoiceId: id, description: 'Work', quantity: '1.00', unitPrice: '10.00', amount: '10.00' }],
      }),
    );
  });

  test('no currency › is the company’s', async () => {
    const euro = await createCompany(api.services, { currency: 'EUR' });
    const theirs = await createClient(api.services, euro.companyId);
    const response = await api.as(euro.token).post('/api/invoices').send(invoiceInput(theirs.id)).expect(201);
    expect(response.body).toMatchObject({ currency: 'EUR', companyId: euro.companyId });
  });

  test.each(['draft', 'sent', 'overdue', 'cancelled'])('status %s › is created in it, not paid', async (status) => {
    expect(await create({ status })).toMatchObject({ status, paidAt: null });
  });

  test('status paid › has been paid just now', async () => {
    expect(await create({ status: 'paid' })).toMatchObject({ status: 'paid', paidAt: timestamp });
  });

  test('every field that can be set › is stored as given', async () => {
    const given = {
      invoiceNumber: 'Ünïq/№ 7 🧾',
      status: 'sent',
      issueDate: '2124-02-29',
      dueDate: '2124-02-29T00:00:00.000Z',
      taxRate: '8.25',
      notes: 'Zeile eins\nline\ttwo\r\n三 🧾',
      currency: 'USD',
      recurring: 'monthly',
      nextDueDate: '2124-03-29',
    };
    const stored = await create(given);
    expect(stored).toMatchObject({
      ...given,
      issueDate: '2124-02-29T00:00:00.000Z',
      taxRate: '8.25',
    });
    const response = await caller.get(`/api/invoices/${stored.id}`).expect(200);
    expect(response.body).toEqual(stored);
  });

  test('items › keep their order', async () => {
    const items = Array.from({ length: 30 }, (_, n) => ({ description: `Line ${n}`, quantity: 1, unitPrice: '1.00' }));
    const { items: stored } = await create({ items });
    expect((stored as { description: string }[]).map(({ description }) => description)).toEqual(
      items.map(({ description }) => description),
    );
  });

  test('a client without an address › is shown with a null e-mail', async () => {
    const silent = await createClient(api.services, companyId, { email: null });
    expect(await create({ clientId: silent.id })).toMatchObject({
      client: { id: silent.id, name: silent.name, email: null },
    });
  });
});

describe('GET /api/invoices/{id}', () => {
  test('an invoice › is returned exactly as create returned it', async () => {
    const created = await create();
    const response = await caller.get(`/api/invoices/${created.id}`).expect(200);
    expect(response.body).toEqual(created);
    expect(response.body).toEqual(detail());
  });
});

describe('GET /api/invoices', () => {
  test('a list › has the envelope, days as YYYY-MM-DD, and items with timestamps', async () => {
    const created = await create();
    const response = await caller.get('/api/invoices').expect(200);
    expect(response.body).toEqual({
      data: [
        detail({
          id: created.id,
          issueDate: '2026-01-15',
          dueDate: '2026-02-14',
          createdAt: created['createdAt'],
          updatedAt: created['updatedAt'],
          items: [
            {
              id,
              invoiceId: created.id,
              description: 'Consulting',
              quantity: '2.00',
              unitPrice: '100.00',
              amount: '200.00',
              createdAt: timestamp,
              updatedAt: timestamp,
            },
          ],
        }),
      ],
      total: 1,
      page: 1,
      limit: 10,
      totalPages: 1,
    });
  });
});

describe('PUT /api/invoices/{id}', () => {
  test('one item › replaces all, with a new id, and the totals follow', async () => {
    const created = await create();
    const response = await caller
      .put(`/api/invoices/${created.id}`)
      .send({ status: 'sent', items: [{ description: 'Less', quantity: '0.50', unitPrice: 100 }] })
      .expect(200);
    expect(response.body).toEqual(
      detail({
        id: created.id,
        status: 'sent',
        subtotal: '50.00',
        tax: '5.00',
        total: '55.00',
        items: [
          {
            id,
            invoiceId: created.id,
            description: 'Less',
            quantity: '0.50',
            unitPrice: '100.00',
            amount: '50.00',
          },
        ],
      }),
    );
    const [before] = created['items'] as { id: number }[];
    const [after] = (response.body as { items: { id: number }[] }).items;
    expect(after?.id).not.toBe(before?.id);
    expect((await caller.get(`/api/invoices/${created.id}`)).body).toEqual(response.body);
  });
});

describe('DELETE /api/invoices/{id}', () => {
  test('an invoice › is gone for all but those who ask for deleted ones', async () => {
    const created = await create();
    const response = await caller.delete(`/api/invoices/${created.id}`).expect(200);
    expect(response.body).toEqual({ message: 'Invoice deleted successfully' });
    await caller.get(`/api/invoices/${created.id}`).expect(404);
    await caller.delete(`/api/invoices/${created.id}`).expect(404);
    await caller.put(`/api/invoices/${created.id}`).send({ notes: 'x' }).expect(404);
    await caller.get(`/api/invoices/${created.id}/pdf`).expect(404);
    await caller.post(`/api/invoices/${created.id}/send-email`).expect(404);
    await caller.post(`/api/invoices/${created.id}/create-gateway-invoice`).expect(404);
    const kept = await caller.get(`/api/invoices/${created.id}`).query({ includeDeleted: true }).expect(200);
    expect(kept.body).toEqual({ ...created, softDelete: true, updatedAt: timestamp });
  });
});
