import { formatDecimal, parseDecimal } from '../../../shared/money/money';
import { createCompany, createInvoice } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

interface Shown {
  subtotal: string;
  total: string;
  tax: string;
  taxRate: string;
  notes: string;
  items: { description: string; amount: string }[];
}

const sum = (amounts: readonly string[]): string =>
  formatDecimal(amounts.map(parseDecimal).reduce((a, b) => a + b, 0n));

/** Whatever was written meanwhile: one writer's items, all of them, and their totals. */
function expectWhole({ subtotal, tax, total, taxRate, items }: Shown): void {
  expect(subtotal).toBe(sum(items.map(({ amount }) => amount)));
  expect(tax).toBe(formatDecimal((parseDecimal(subtotal) * parseDecimal(taxRate)) / 10_000n));
  expect(total).toBe(sum([subtotal, tax]));
  expect(new Set(items.map(({ description }) => description)).size).toBe(1);
  expect(items).toHaveLength(Number(items[0]?.description));
}

/** `count` items, each saying how many there are. */
const itemsOf = (count: number): object[] =>
  Array.from({ length: count }, () => ({ description: String(count), quantity: count, unitPrice: '1.00' }));

const first = { taxRate: 10, items: [{ description: '1', quantity: 1, unitPrice: '1.00' }] };

describe('concurrent requests on one invoice', () => {
  test('writers of items, writers of rates, readers › every response is whole', async () => {
    const { id } = await createInvoice(api.services, companyId, first);
    const path = `/api/invoices/${id}`;
    const requests = Array.from({ length: 15 }, (_, n) => [
      caller.put(path).send({ items: itemsOf((n % 7) + 1) }),
      caller.put(path).send({ taxRate: n }),
      caller.get(path),
      caller.get('/api/invoices'),
    ]).flat();
    for (const { status, body } of await Promise.all(requests)) {
      expect(status).toBe(200);
      const invoices = 'data' in (body as object) ? (body as { data: Shown[] }).data : [body as Shown];
      expect(invoices).toHaveLength(1);
      invoices.forEach(expectWhole);
    }
  });

  test('writers of different fields › none loses the other’s change', async () => {
    const { id } = await createInvoice(api.services, companyId, first);
    const changes = [
      { notes: 'changed' },
      { taxRate: 20 },
      { items: itemsOf(5) },
      { currency: 'EUR' },
      { dueDate: '2026-12-31' },
      { status: 'sent' },
      { recurring: 'monthly' },
      { invoiceNumber: 'renamed' },
    ];
    await Promise.all(changes.map((change) => caller.put(`/api/invoices/${id}`).send(change).expect(200)));
    const { body } = await caller.get(`/api/invoices/${id}`).expect(200);
    expectWhole(body as Shown);
    expect(body).toMatchObject({
      notes: 'changed',
      taxRate: '20.00',
      currency: 'EUR',
      dueDate: '2026-12-31T00:00:00.000Z',
      status: 'sent',
      recurring: 'monthly',
      invoiceNumber: 'renamed',
      total: '30.00',
    });
  });

  test('deletes and changes at the same time › one delete wins, and nothing changes after it', async () => {
    const { id } = await createInvoice(api.services, companyId, first);
    const path = `/api/invoices/${id}`;
    const requests = Array.from({ length: 8 }, (_, n) => [
      caller.put(path).send({ notes: `n${n}` }),
      caller.delete(path),
    ]);
    const responses = await Promise.all(requests.flat());
    const deleted = responses.filter(({ request, status }) => request.method === 'DELETE' && status === 200);
    expect(deleted).toHaveLength(1);
    expect(responses.every(({ status }) => status === 200 || status === 404)).toBe(true);
    const { body } = await caller.get('/api/invoices?includeDeleted=true').expect(200);
    expect(body).toMatchObject({ total: 1, data: [{ softDelete: true }] });
    expect((await caller.get('/api/invoices')).body).toMatchObject({ total: 0, data: [], totalPages: 0 });
  });

  test('status changes at the same time › the kept totals are exact', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await createInvoice(api.services, companyId, first)).id));
    const statuses = ['draft', 'sent', 'paid', 'overdue', 'cancelled'];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        caller
          .put(`/api/invoices/${ids[n % 3]}`)
          .send({ status: statuses[(n * 7) % 5] })
          .expect(200),
      ),
    );
    for (const status of statuses) {
      const { body } = await caller.get('/api/invoices').query({ status }).expect(200);
      const { data, total } = body as { data: object[]; total: number };
      expect(total).toBe(data.length);
    }
  });
});
