import type { InvoiceStatus } from '../../../shared/invoices/statuses';
import { createClient, createCompany } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId)).id;
});

async function create(status: InvoiceStatus, details: object = {}): Promise<number> {
  const items = [{ description: 'Work', quantity: 1, unitPrice: 10 }];
  const invoice = { clientId, issueDate: '2026-01-01', dueDate: '2026-02-01', items, status, details };
  const { body } = await caller.post('/api/invoices').send(invoice).expect(201);
  return (body as { id: number }).id;
}

/** What each event says of the first invoice of the company. */
const facts = (status: InvoiceStatus): object => ({
  ...{ invoiceNumber: 'INV-2026-00001', status, total: '10.00', currency: 'IDR' },
  ...{ clientId, externalId: null },
});

/** Types and data of the events of an invoice, in their order. */
async function eventsOf(invoiceId: number): Promise<[string, unknown][]> {
  const rows = await api.services.sql.rows<{ type: string; data: string }>(
    "SELECT type, data FROM events WHERE companyId = ? AND subjectType = 'invoice' AND subjectId = ? ORDER BY id",
    [companyId, invoiceId],
  );
  return rows.map(({ type, data }) => [type, JSON.parse(data)]);
}

describe('the events of an invoice', () => {
  test.each(['sent', 'overdue', 'paid', 'cancelled'] as const)('created as %s › say so', async (status) => {
    expect(await eventsOf(await create(status))).toEqual([
      ['invoice.created', facts(status)],
      [`invoice.${status}`, { ...facts(status), from: null }],
    ]);
  });

  test('created as a draft › is created, and nothing else', async () => {
    expect(await eventsOf(await create('draft'))).toEqual([['invoice.created', facts('draft')]]);
  });

  test.each(['sent', 'overdue', 'paid', 'cancelled'] as const)('put to %s › say so once', async (status) => {
    const id = await create('draft');
    await caller.put(`/api/invoices/${id}`).send({ status }).expect(200);
    await caller.put(`/api/invoices/${id}`).send({ status }).expect(200);
    const entered = (await eventsOf(id)).filter(([type]) => type === `invoice.${status}`);
    expect(entered).toEqual([[`invoice.${status}`, { ...facts(status), from: 'draft' }]]);
  });

  test('put back to draft › say so in invoice.updated alone', async () => {
    const id = await create('cancelled');
    await caller.put(`/api/invoices/${id}`).send({ status: 'draft' }).expect(200);
    const [, , updated, ...others] = await eventsOf(id);
    expect(updated).toEqual(['invoice.updated', { ...facts('draft'), changed: { status: ['cancelled', 'draft'] } }]);
    expect(others).toEqual([]);
  });

  test('given another number and other items, and deleted › say what it is then', async () => {
    const id = await create('sent');
    const items = [{ description: 'Work', quantity: 2, unitPrice: 10 }];
    await caller.put(`/api/invoices/${id}`).send({ invoiceNumber: 'N-1', items }).expect(200);
    await caller.delete(`/api/invoices/${id}`).expect(200);
    const then = { ...facts('sent'), invoiceNumber: 'N-1', total: '20.00' };
    const changed = { invoiceNumber: ['INV-2026-00001', 'N-1'], items: 'replaced' };
    expect((await eventsOf(id)).slice(2)).toEqual([
      ['invoice.updated', { ...then, changed }],
      ['invoice.deleted', then],
    ]);
  });

  test('whatever happens › say whose the invoice is, and by which id the caller knows it then', async () => {
    const id = await create('sent', { externalId: 'order-17' });
    const path = `/api/invoices/${id}`;
    const { body } = await caller.post(`${path}/payments`).send({ amount: '4.00' }).expect(201);
    await caller.delete(`${path}/payments/${(body as { id: number }).id}`).expect(200);
    await caller.post(`${path}/credit-notes`).send({ reason: 'Too late' }).expect(201);
    await caller.put(`${path}/details`).send({ externalId: 'order-18' }).expect(200);
    await caller.delete(path).expect(200);
    const said = (await eventsOf(id)).map(([type, data]) => [type, data] as [string, Record<string, unknown>]);
    expect(said.map(([type, { clientId: of, externalId }]) => [type, of, externalId])).toEqual([
      ['invoice.created', clientId, 'order-17'],
      ['invoice.sent', clientId, 'order-17'],
      ['payment.recorded', clientId, 'order-17'],
      ['payment.voided', clientId, 'order-17'],
      ['invoice.cancelled', clientId, 'order-17'],
      ['credit_note.issued', clientId, 'order-17'],
      ['invoice.updated', clientId, 'order-18'],
      ['invoice.deleted', clientId, 'order-18'],
    ]);
  });
});
