import type { Services } from '../../../shared/services';
import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { datesOf, nothingIsDue, runAllSchedules, SetClock, wrongCounts } from '../../support/schedules';
import { Statements } from '../../support/statements';
import { startApi, type Caller, type TestApi } from '../../support/server';

const clock = new SetClock('2027-01-10T05:00:00Z');
let api: TestApi;
let services: Services;
let companyId: number;
let clientId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({ clock });
  services = api.services;
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-10T05:00:00Z');
  const company = await createCompany(services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(services, companyId)).id;
});

const create = async (changes: object = {}): Promise<number> => {
  const dates = { issueDate: '2027-01-10', dueDate: '2027-01-24' };
  return (await createInvoice(services, companyId, { clientId, ...dates, recurring: 'monthly', ...changes })).id;
};
const get = async (id: number): Promise<Record<string, unknown>> =>
  (await caller.get(`/api/invoices/${id}`).expect(200)).body as Record<string, unknown>;

interface Made {
  id: number;
  invoiceNumber: string;
  issueDate: string;
  frozenParties: string | null;
  sentAt: string | null;
}
/** In the order in which they were made. */
const madeOf = (seriesId: number): Promise<Made[]> =>
  services.sql.rows<Made>(
    'SELECT id, invoiceNumber, issueDate, frozenParties, sentAt FROM invoices WHERE seriesId = ? ORDER BY id',
    [seriesId],
  );
const at = async (moment: string): Promise<void> => {
  clock.set(moment);
  expect((await runAllSchedules(services)).failed).toEqual([]);
};

test('an occurrence is a draft of that day with the same days to pay, items and totals, and the next number', async () => {
  const items = [
    { description: 'Consulting ☕', quantity: 2.5, unitPrice: '100.10' },
    { description: 'Discount', quantity: 1, unitPrice: '-0.25' },
  ];
  const series = await create({ items, taxRate: 11, currency: 'USD', notes: 'a\nb', status: 'paid' });
  await services.sql.run("UPDATE invoices SET gatewayInvoiceId = 'x', gatewayInvoiceUrl = 'https://x' WHERE id = ?", [
    series,
  ]);
  const template = await get(series);
  expect(template).toMatchObject({
    status: 'paid',
    invoiceNumber: 'INV-2027-00001',
    paidAt: expect.any(String) as string,
  });
  await at('2027-02-10T05:00:00.500Z');
  const [made] = await madeOf(series);
  expect(made).toMatchObject({ frozenParties: null, sentAt: null });
  const occurrence = await get(made?.id ?? 0);
  const itemOf = (item: object): object => ({ ...item, id: expect.any(Number) as number, invoiceId: made?.id });
  expect(occurrence).toEqual({
    ...template,
    id: made?.id,
    invoiceNumber: 'INV-2027-00002',
    status: 'draft',
    issueDate: '2027-02-10T00:00:00.000Z',
    dueDate: '2027-02-24T00:00:00.000Z',
    gatewayInvoiceId: null,
    gatewayInvoiceUrl: null,
    recurring: 'none',
    nextDueDate: null,
    createdAt: '2027-02-10T05:00:00.500Z',
    updatedAt: '2027-02-10T05:00:00.500Z',
    paidAt: null,
    items: (template['items'] as object[]).map(itemOf),
  });
  expect(occurrence).toMatchObject({ subtotal: '250.00', tax: '27.50', total: '277.50' });
  const ids = (record: Record<string, unknown>): number[] => (record['items'] as { id: number }[]).map(({ id }) => id);
  expect(ids(occurrence).filter((id) => ids(template).includes(id))).toEqual([]);
  expect(await get(series)).toEqual({
    ...template,
    nextDueDate: '2027-03-10',
    updatedAt: '2027-02-10T05:00:00.500Z',
  });
});

test('the items of a long occurrence are copied within the server, a hundred by a statement', async () => {
  const items = Array.from({ length: 250 }, (_, index) => ({
    description: `item ${index}`,
    quantity: 1,
    unitPrice: index,
  }));
  const series = await create({ items });
  const statements = await new Statements(services).of(() => at('2027-02-10T05:00:00Z'));
  const ofItems = statements.filter((text) => /(FROM|INTO) invoice_items/.test(text));
  expect(ofItems.map((text) => text.slice(0, 25))).toEqual(Array(3).fill('INSERT INTO invoice_items'));
  const [made] = await madeOf(series);
  const { items: copied } = (await get(made?.id ?? 0)) as { items: { description: string; amount: string }[] };
  expect(copied.map(({ description }) => description)).toEqual(items.map(({ description }) => description));
});

test('a roll is an event that names series and date, and the lists count it', async () => {
  const series = await create({ status: 'sent', dueDate: '2028-01-01' });
  await at('2027-03-10T05:00:00Z');
  const made = await madeOf(series);
  const events = await services.sql.rows<{ type: string; actor: string; subjectId: number; data: string }>(
    "SELECT type, actor, subjectId, data FROM events WHERE companyId = ? AND actor LIKE 'schedule:%' ORDER BY subjectId",
    [companyId],
  );
  expect(events.map((event) => ({ ...event, data: JSON.parse(event.data) as object }))).toEqual(
    ['2027-02-10', '2027-03-10'].map((occurrenceDate, n) => ({
      type: 'invoice.created',
      actor: 'schedule:invoices',
      subjectId: made[n]?.id,
      data: {
        ...{ invoiceNumber: `INV-2027-0000${n + 2}`, status: 'draft', total: '220.00', currency: 'IDR' },
        ...{ clientId, externalId: null, seriesId: series, occurrenceDate },
      },
    })),
  );
  for (const [status, total] of Object.entries({ all: 3, draft: 2, sent: 1 })) {
    expect((await caller.get('/api/invoices').query({ status })).body).toMatchObject({ total });
  }
  expect(await wrongCounts(services, companyId)).toEqual([]);
});

test('days to pay are counted in days, over month ends and leap days; at the calendar’s end they end there', async () => {
  const series = await create({ issueDate: '2027-01-31', dueDate: '2027-03-02' });
  await at('2028-02-29T05:00:00Z');
  const rows = await services.sql.rows<{ issueDate: string; days: number }>(
    'SELECT issueDate, DATEDIFF(dueDate, issueDate) AS days FROM invoices WHERE seriesId = ? ORDER BY issueDate',
    [series],
  );
  expect(rows.map(({ days }) => days)).toEqual(Array(13).fill(30));
  expect([rows[0]?.issueDate, rows.at(-1)?.issueDate]).toEqual(['2027-02-28', '2028-02-29']);
  const last = await create({ nextDueDate: '9999-12-25', recurring: 'yearly' });
  await services.sql.run("UPDATE invoices SET recurringSince = '9999-01-01', dueAt = NULL WHERE id <> ?", [last]);
  await runAllSchedules(services, { asOf: '9999-12-31' });
  const [end] = await services.sql.rows('SELECT dueDate FROM invoices WHERE seriesId = ?', [last]);
  expect(end).toEqual({ dueDate: '9999-12-31' });
});

test('numbers are those of the occurrence’s own year and month, ascend by date, and have no gap', async () => {
  await caller.put('/api/company').send({ invoiceNumberFormat: '{YYYY}/{MM}-{SEQ:3}' }).expect(200);
  const own = { invoiceNumber: 'own' };
  const series = [
    await create({ ...own, recurring: 'weekly', nextDueDate: '2027-11-26' }),
    await create({ recurring: 'weekly', nextDueDate: '2027-11-25', invoiceNumber: 'own 2' }),
  ];
  await at('2028-01-06T05:00:00Z');
  const made = (await Promise.all(series.map(madeOf))).flat();
  const numbers = made.sort((a, b) => (a.issueDate < b.issueDate ? -1 : 1)).map(({ invoiceNumber }) => invoiceNumber);
  expect(numbers).toEqual([
    '2027/11-001',
    '2027/11-002',
    ...Array.from({ length: 10 }, (_, n) => `2027/12-${String(n + 1).padStart(3, '0')}`),
    '2028/01-001',
  ]);
});

test('numbers that callers took are skipped', async () => {
  await create({ invoiceNumber: 'INV-2027-00002' });
  await create({ invoiceNumber: 'INV-2027-00001', recurring: 'none' });
  await at('2027-02-10T05:00:00Z');
  const [made] = await services.sql.rows(
    'SELECT invoiceNumber FROM invoices WHERE seriesId IS NOT NULL AND companyId = ?',
    [companyId],
  );
  expect(made).toEqual({ invoiceNumber: 'INV-2027-00003' });
});

test('with creates beside it › all numbers together are gapless, each once, and a series’ own ascend by date', async () => {
  const series = [await create({ recurring: 'daily' }), await create({ recurring: 'daily' })];
  clock.set('2027-02-10T05:00:00Z');
  const creates = Array.from({ length: 30 }, () =>
    caller.post('/api/invoices').send(invoiceInput(clientId, { issueDate: '2027-02-10', dueDate: '2027-02-10' })),
  );
  const [, , ...responses] = await Promise.all([runAllSchedules(services), runAllSchedules(services), ...creates]);
  expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(201));
  for (const id of series) {
    expect(await datesOf(services, id, 'invoices')).toHaveLength(31);
    const made = (await madeOf(id)).sort((a, b) => (a.issueDate < b.issueDate ? -1 : 1));
    const numbers = made.map(({ invoiceNumber }) => invoiceNumber);
    expect(numbers).toEqual([...numbers].sort());
  }
  const all = await services.sql.rows<{ invoiceNumber: string }>(
    'SELECT invoiceNumber FROM invoices WHERE companyId = ? ORDER BY invoiceNumber',
    [companyId],
  );
  const expected = Array.from({ length: 94 }, (_, n) => `INV-2027-${String(n + 1).padStart(5, '0')}`);
  expect(all.map(({ invoiceNumber }) => invoiceNumber)).toEqual(expected);
  expect(await wrongCounts(services, companyId)).toEqual([]);
});

test('the client was deleted since › goes on, and shows its summary', async () => {
  const series = await create();
  await caller.delete(`/api/clients/${clientId}`).expect(200);
  await at('2027-02-10T05:00:00Z');
  const [made] = await madeOf(series);
  expect(await get(made?.id ?? 0)).toMatchObject({ client: { id: clientId }, status: 'draft' });
});

test('several series at the same time › each copy has the items of its own series, in their order', async () => {
  const itemsOf = (name: string) =>
    [1, 2, 3].map((n) => ({ description: `${name} ${n}`, quantity: n, unitPrice: '1.00' }));
  const series = [await create({ items: itemsOf('b') }), await create({ items: itemsOf('a') })];
  await at('2027-02-10T05:00:00Z');
  const made = (await Promise.all(series.map(madeOf))).flat();
  const shown = await Promise.all(made.map(({ id }) => get(id)));
  const descriptions = shown.map(({ items }) => (items as { description: string }[]).map((item) => item.description));
  expect(descriptions).toEqual([
    ['b 1', 'b 2', 'b 3'],
    ['a 1', 'a 2', 'a 3'],
  ]);
});

test('a series that was changed › the next occurrence is a copy of what it is then', async () => {
  const series = await create();
  await at('2027-02-10T05:00:00Z');
  const items = [{ description: 'More', quantity: 1, unitPrice: '5.00' }];
  await caller.put(`/api/invoices/${series}`).send({ items, dueDate: '2027-01-10', notes: 'new' }).expect(200);
  await at('2027-03-10T05:00:00Z');
  const [before, after] = await madeOf(series);
  expect(await get(before?.id ?? 0)).toMatchObject({ total: '220.00', notes: 'Thank you' });
  expect(await get(after?.id ?? 0)).toMatchObject({
    total: '5.50',
    notes: 'new',
    dueDate: '2027-03-10T00:00:00.000Z',
    items: [{ description: 'More' }],
  });
});

test('a series that is deleted or stopped › makes nothing more; deleted occurrences are not made again', async () => {
  const [deleted, stopped, set] = [await create(), await create(), await create()];
  await at('2027-02-10T05:00:00Z');
  await caller.delete(`/api/invoices/${deleted}`).expect(200);
  await caller.put(`/api/invoices/${stopped}`).send({ recurring: 'none' }).expect(200);
  const [made] = await madeOf(set);
  await caller.delete(`/api/invoices/${made?.id ?? 0}`).expect(200);
  await caller.put(`/api/invoices/${set}`).send({ nextDueDate: '2027-02-10' }).expect(200);
  await at('2027-03-10T05:00:00Z');
  const counts = await Promise.all([deleted, stopped, set].map((id) => madeOf(id)));
  expect(counts.map(({ length }) => length)).toEqual([1, 1, 2]);
});

test('of several companies at the same time › each has transactions of its own, so that none holds another’s numbers', async () => {
  const ids = [await create(), await create()];
  const other = await createCompany(services);
  const dates = { issueDate: '2027-01-10', dueDate: '2027-01-24', recurring: 'monthly' as const };
  for (let n = 0; n < 2; n++) ids.push((await createInvoice(services, other.companyId, dates)).id);
  const companies: Set<unknown>[] = [];
  const performForInstallation: Services['performForInstallation'] = (actor, work) =>
    services.performForInstallation(actor, (uow) => {
      const written = new Set<unknown>();
      companies.push(written);
      const run: typeof uow.sql.run = (text, values = []) => {
        if (text.startsWith('INSERT INTO invoices')) written.add(values[0]);
        return uow.sql.run(text, values);
      };
      return work({ ...uow, sql: { ...uow.sql, run } });
    });
  clock.set('2027-02-10T05:00:00Z');
  const { created } = await runAllSchedules({ ...services, performForInstallation });
  expect(created.map(({ seriesId }) => seriesId).sort((a, b) => a - b)).toEqual(ids);
  // Either company may come first: the one whose work has taken less time.
  const written = companies.filter(({ size }) => size > 0).map((ids) => [...ids]);
  expect(written).toHaveLength(2);
  expect(new Set(written.flat())).toEqual(new Set([companyId, other.companyId]));
});
