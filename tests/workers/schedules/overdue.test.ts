import type { Services } from '../../../shared/services';
import { createClient, createCompany } from '../../support/factories';
import { createInvoice as makeInvoice } from '../../support/factories';
import { createCompany as createBare } from '../../../shared/companies/createCompany';
import { hold, lockWait, nothingIsDue, runAllSchedules, SetClock, wrongCounts } from '../../support/schedules';
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
  const sent = { clientId, status: 'sent', issueDate: '2027-01-01', dueDate: '2027-01-20' } as const;
  return (await makeInvoice(services, companyId, { ...sent, ...changes })).id;
};
const at = async (moment: string): Promise<number[]> => {
  clock.set(moment);
  const { overdue, failed } = await runAllSchedules(services);
  expect(failed).toEqual([]);
  return overdue.map(({ invoiceId }) => invoiceId);
};
const put = (id: number, body: object) => caller.put(`/api/invoices/${id}`).send(body).expect(200);
const get = async (id: number): Promise<Record<string, unknown>> =>
  (await caller.get(`/api/invoices/${id}`).expect(200)).body as Record<string, unknown>;

describe('an invoice that was sent before the day began', () => {
  test('with its due date before the day › is overdue at midnight, with an event, and the lists count it', async () => {
    const id = await create();
    await caller.put(`/api/invoices/${id}/details`).send({ externalId: 'order-17' }).expect(200);
    const before = await get(id);
    expect(await at('2027-01-20T16:59:59.999Z')).toEqual([]);
    expect(await at('2027-01-20T17:00:00Z')).toEqual([id]);
    expect(await get(id)).toEqual({ ...before, status: 'overdue', updatedAt: '2027-01-20T17:00:00.000Z' });
    const events = await services.sql.rows<{ actor: string; subjectType: string; subjectId: number; data: string }>(
      "SELECT actor, subjectType, subjectId, data FROM events WHERE companyId = ? AND type = 'invoice.overdue'",
      [companyId],
    );
    expect(events.map((event) => ({ ...event, data: JSON.parse(event.data) as object }))).toEqual([
      {
        actor: 'schedule:overdue',
        subjectType: 'invoice',
        subjectId: id,
        data: {
          ...{ invoiceNumber: before['invoiceNumber'], status: 'overdue', total: '220.00', currency: 'IDR' },
          ...{ clientId, externalId: 'order-17' },
          ...{ from: 'sent', asOf: '2027-01-21' },
        },
      },
    ]);
    for (const [status, total] of Object.entries({ all: 1, sent: 0, overdue: 1 })) {
      expect((await caller.get('/api/invoices').query({ status })).body).toMatchObject({ total });
    }
    expect(await wrongCounts(services, companyId)).toEqual([]);
    expect(await at('2027-01-21T17:00:00Z')).toEqual([]);
  });

  test('with its due date on the day › is not, until the next', async () => {
    const id = await create({ dueDate: '2027-01-15' });
    expect(await at('2027-01-15T05:00:00Z')).toEqual([]);
    expect(await at('2027-01-16T05:00:00Z')).toEqual([id]);
  });

  test('and is paid, a draft, cancelled or deleted by now › is left as it is', async () => {
    const ids: number[] = [];
    for (const status of ['paid', 'draft', 'cancelled', 'overdue']) ids.push(await create({ status }));
    const paid = await create();
    await put(paid, { status: 'paid' });
    const deleted = await create();
    await caller.delete(`/api/invoices/${deleted}`).expect(200);
    const before = await Promise.all([...ids, paid].map(get));
    expect(await at('2027-02-01T05:00:00Z')).toEqual([]);
    expect(await Promise.all([...ids, paid].map(get))).toEqual(before);
  });

  test('is overdue in the company’s zone, not in another’s', async () => {
    const there = await createCompany(services, { timezone: 'America/New_York' });
    const other = await makeInvoice(services, there.companyId, { status: 'sent', dueDate: '2027-01-20' });
    const own = await create();
    expect(await at('2027-01-20T17:00:00Z')).toEqual([own]);
    expect(await at('2027-01-21T04:59:59.999Z')).toEqual([]);
    expect(await at('2027-01-21T05:00:00Z')).toEqual([other.id]);
  });
});

describe('an invoice that was sent today', () => {
  test('with an old due date › is overdue only on the next day, when the day has begun before it was sent', async () => {
    clock.set('2027-01-19T17:00:00Z');
    const id = await create({ issueDate: '2026-01-01', dueDate: '2026-01-02' });
    expect(await at('2027-01-19T17:00:00Z')).toEqual([]);
    expect(await at('2027-01-20T16:59:59Z')).toEqual([]);
    expect(await at('2027-01-20T17:00:00Z')).toEqual([id]);
  });

  test('by PUT, also again after it was overdue › has the rest of the day', async () => {
    const id = await create();
    expect(await at('2027-01-21T05:00:00Z')).toEqual([id]);
    await put(id, { status: 'draft' });
    await put(id, { status: 'sent' });
    expect(await at('2027-01-21T06:00:00Z')).toEqual([]);
    expect(await at('2027-01-22T05:00:00Z')).toEqual([id]);
  });
});

describe('the look at a company', () => {
  test('is one a day: what changes during the day is seen on the next', async () => {
    const id = await create({ dueDate: '2027-02-20' });
    expect(await at('2027-01-21T05:00:00Z')).toEqual([]);
    await put(id, { dueDate: '2027-01-02' });
    expect(await at('2027-01-21T16:59:59Z')).toEqual([]);
    expect(await at('2027-01-21T17:00:00Z')).toEqual([id]);
  });

  test.each([1, 2])(
    'marks more than one batch of invoices, and %i concurrent scans mark each exactly once',
    async (scans) => {
      await create();
      const columns = `companyId, clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring,
      sentAt, createdAt, updatedAt`;
      for (let made = 1; made < 250; made *= 2) {
        await services.sql.run(
          `INSERT INTO invoices (${columns}, invoiceNumber)
          SELECT ${columns}, CONCAT('N', id, '-', ${made}) FROM invoices WHERE companyId = ? LIMIT ${Math.min(made, 250 - made)}`,
          [companyId],
        );
      }
      await services.sql.run("UPDATE record_counts SET total = total + 249 WHERE companyId = ? AND kind = 'invoice'", [
        companyId,
      ]);
      clock.set('2027-01-21T05:00:00Z');
      const told = await Promise.all(Array.from({ length: scans }, () => runAllSchedules(services)));
      const marked = told.flatMap(({ overdue }) => overdue.map(({ invoiceId }) => invoiceId));
      expect([marked.length, new Set(marked).size]).toEqual([250, 250]);
      expect((await caller.get('/api/invoices?status=overdue')).body).toMatchObject({ total: 250 });
      expect(await wrongCounts(services, companyId)).toEqual([]);
      const [events] = await services.sql.rows(
        "SELECT COUNT(*) AS events FROM events WHERE companyId = ? AND type = 'invoice.overdue'",
        [companyId],
      );
      expect(events).toEqual({ events: 250 });
    },
  );

  test('goes over more companies than one page', async () => {
    const expected: number[] = [];
    for (let n = 0; n < 102; n++) {
      const { id } = await services.performForInstallation('test', (work) => createBare(work, { name: `C${n}` }));
      if (n % 50 === 1) {
        const sent = { status: 'sent', dueDate: '2027-01-18' } as const;
        expected.push((await makeInvoice(services, id, sent)).id);
      }
    }
    expect(await at('2027-01-21T05:00:00Z')).toEqual(expected);
  });

  test('waits for a change in progress, and sees what it makes of the invoice', async () => {
    const id = await create();
    clock.set('2027-01-21T05:00:00Z');
    const { letGo } = await hold(services, (sql) =>
      sql.run("UPDATE invoices SET dueDate = '2027-03-01' WHERE companyId = ? AND id = ?", [companyId, id]),
    );
    const scan = runAllSchedules(services, { wait: false });
    await lockWait(services);
    await letGo();
    expect((await scan).overdue).toEqual([]);
  });
});
