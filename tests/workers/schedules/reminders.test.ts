import { createConnection } from 'mysql2/promise';
import type { Services } from '../../../shared/services';
import { createClient, createCompany, createInvoice as makeInvoice } from '../../support/factories';
import { installation } from '../../support/installation';
import { nothingIsDue, runAllSchedules, SetClock } from '../../support/schedules';
import { plansOf } from '../../support/plans';
import { readDue, rangesOf } from '../../../shared/reminders/dueReminders';
import { reminderObstacles } from '../../../shared/reminders';
import { workOf } from '../../support/work';
import { startApi, type Caller, type TestApi } from '../../support/server';

// 09:00 in Jakarta is 02:00 UTC.
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
  const company = await createCompany(services, { reminderDays: [-3, 0, 7] });
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(services, companyId)).id;
});

const create = async (changes: object = {}): Promise<number> => {
  const sent = { clientId, status: 'sent', issueDate: '2027-01-01', dueDate: '2027-01-20' } as const;
  return (await makeInvoice(services, companyId, { ...sent, ...changes })).id;
};
const run = async (asOf: string | null): Promise<[number, string | null][]> => {
  const { reminded, failed } = await runAllSchedules(services, { asOf });
  expect(failed).toEqual([]);
  return reminded.map(({ invoiceId, skipped }) => [invoiceId, skipped]);
};
const at = (moment: string): Promise<[number, string | null][]> => {
  clock.set(moment);
  return run(null);
};
const recorded = (id: number): Promise<object[]> =>
  services.sql.rows(
    'SELECT dueDate, relativeDay FROM reminders WHERE companyId = ? AND invoiceId = ? ORDER BY dueDate, relativeDay',
    [companyId, id],
  );

describe('a company with reminders at -3, 0 and 7 days', () => {
  test('as of four dates › requests the right ones, each once; a due date that is moved gets them anew', async () => {
    const id = await create();
    const counts: number[] = [];
    for (const day of ['2027-01-16', '2027-01-17', '2027-01-17', '2027-01-20', '2027-01-27', '2027-01-28']) {
      counts.push((await run(day)).length);
    }
    expect(counts).toEqual([0, 1, 0, 1, 1, 0]);
    await caller.put(`/api/invoices/${id}`).send({ dueDate: '2027-02-20' }).expect(200);
    for (const day of ['2027-02-16', '2027-02-17', '2027-02-20', '2027-02-27']) await run(day);
    expect(await recorded(id)).toEqual(
      ['2027-01-20', '2027-02-20'].flatMap((dueDate) => [-3, 0, 7].map((relativeDay) => ({ dueDate, relativeDay }))),
    );
    const { body } = await caller.get(`/api/invoices/${id}/emails`).expect(200);
    expect((body as { data: object[] }).data).toHaveLength(6);
    expect((body as { data: object[] }).data[0]).toMatchObject({ kind: 'reminder', status: 'queued' });
  });

  test('by the clock › goes by 09:00 of its day, each once, also by concurrent scans', async () => {
    const id = await create();
    expect(await at('2027-01-17T01:59:59Z')).toEqual([]);
    clock.set('2027-01-17T02:00:00Z');
    const told = await Promise.all([run(null), run(null), run('2027-01-17')]);
    expect(told.flat()).toEqual([[id, null]]);
    expect(await at('2027-01-19T12:00:00Z')).toEqual([]);
    expect(await at('2027-01-20T12:00:00Z')).toEqual([[id, null]]);
  });

  test('after an outage › requests only the latest missed one', async () => {
    const id = await create();
    await at('2027-01-16T02:00:00Z');
    expect(await at('2027-01-28T03:00:00Z')).toEqual([[id, null]]);
    expect(await recorded(id)).toEqual([{ dueDate: '2027-01-20', relativeDay: 7 }]);
  });

  test('one whose invoice cannot be locked in time › is requested by a later scan, and those after it too', async () => {
    const [locked, other] = [await create(), await create()];
    clock.set('2027-01-20T05:00:00Z');
    const rival = await createConnection({ uri: (await installation())['DATABASE_URL'] ?? '' });
    await rival.beginTransaction();
    await rival.query('SELECT id FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, locked]);
    const tried = await runAllSchedules(services);
    await rival.end();
    expect(tried.reminded).toEqual([]);
    expect(tried.failed).toHaveLength(1);
    const later = [locked, other].map((id) => [id, null]);
    expect(await at('2027-01-20T09:00:00Z')).toEqual(later);
    expect(await at('2027-01-20T10:00:00Z')).toEqual([]);
  });

  test('drafts, paid, cancelled and deleted ones › get none, overdue ones do', async () => {
    for (const status of ['draft', 'paid', 'cancelled']) await create({ status });
    await caller.delete(`/api/invoices/${await create()}`).expect(200);
    const overdue = await create({ status: 'overdue' });
    expect(await run('2027-01-27')).toEqual([[overdue, null]]);
  });

  test('days before they were set are not made up for', async () => {
    await create({ dueDate: '2027-01-05' });
    expect(await at('2027-01-10T05:00:00Z')).toEqual([]);
    await caller
      .put('/api/company')
      .send({ reminderDays: [5] })
      .expect(200);
    expect(await at('2027-01-10T05:00:00Z')).toHaveLength(1);
  });
});

describe('a reminder is skipped, and the timeline says why', () => {
  const skip: Record<string, (id: number) => Promise<unknown>> = {
    reminders_off: () => caller.put(`/api/clients/${clientId}`).send({ reminders: false }).expect(200),
    client_without_email: () => caller.put(`/api/clients/${clientId}`).send({ email: null }).expect(200),
    sender_not_found: () => caller.put('/api/company').send({ email: null }).expect(200),
    payment_processing: (id) =>
      services.sql.run(
        `INSERT INTO payment_links (companyId, invoiceId, provider, reference, status, total, amount, currency, pollAt,
          createdAt, updatedAt) VALUES (?, ?, 'xendit', UUID(), 'processing', 1, 1, 'IDR', NOW(3), NOW(3), NOW(3))`,
        [companyId, id],
      ),
  };
  test.each(Object.keys(skip))('%s', async (reason) => {
    const id = await create();
    await skip[reason]?.(id);
    expect(await run('2027-01-17')).toEqual([[id, reason]]);
    expect(await run('2027-01-17')).toEqual([]);
    const { body } = await caller.get(`/api/invoices/${id}/timeline`).expect(200);
    expect((body as { data: object[] }).data.at(-1)).toMatchObject({ type: 'reminder.skipped', data: { reason } });
  });

  test('address_bounced, until the address is changed', async () => {
    const id = await create();
    await run('2027-01-17');
    await services.sql.run("UPDATE emails SET status = 'bounced', bouncedAt = ? WHERE companyId = ?", [
      '2027-01-10 06:00:00.000',
      companyId,
    ]);
    expect(await run('2027-01-20')).toEqual([[id, 'address_bounced']]);
    const { body } = await caller.get(`/api/clients/${clientId}`).expect(200);
    clock.set('2027-01-10T07:00:00Z');
    for (const email of ['other@client.example', (body as { email: string }).email]) {
      await caller.put(`/api/clients/${clientId}`).send({ email }).expect(200);
    }
    expect(await run('2027-01-27')).toEqual([[id, null]]);
  });
});

test('a scan reads due dates along their index, and bounces along theirs', async () => {
  const [range] = rangesOf([0], { after: '2027-01-19', until: '2027-01-20' });
  if (range === undefined) throw new Error('no range');
  const [plan] = await plansOf(services.sql, (sql) => readDue(sql, companyId, range, null));
  expect(plan?.[0]).toMatchObject({ key: 'invoices_overdue' });
  expect(plan?.[0]?.Extra).not.toContain('filesort');
  const id = await create();
  const [check] = await plansOf(services.sql, (sql) => reminderObstacles({ sql, companyId }, [id]));
  expect(check?.find(({ table }) => table === 'm')).toMatchObject({ key: 'emails_bounced' });
});

test('of many e-mails to an address, a reminder reads the one that bounced last, whatever the other clients of that address', async () => {
  const ids: number[] = [];
  for (const changedAt of ['2027-01-01', '2027-01-02', '2027-01-03']) {
    const client = await createClient(services, companyId, { email: 'shared@client.example' });
    ids.push(await create({ clientId: client.id }));
    await services.sql.run('UPDATE clients SET emailChangedAt = ? WHERE id = ?', [changedAt, client.id]);
  }
  const [id = 0] = ids;
  const emails = Array.from(
    { length: 300 },
    (_, n) => `(${companyId}, ${id}, 'many-${companyId}-${n}', 'shared@client.example', 'sent',
    '2027-01-01', '2027-01-01')`,
  );
  await services.sql.run(
    `INSERT INTO emails (companyId, invoiceId, messageId, recipient, status, createdAt, updatedAt) VALUES ${emails.join()}`,
  );
  const work = await services.perform({ companyId, actor: 'test' }, ({ sql }) =>
    workOf(sql, () => reminderObstacles({ sql, companyId }, ids)),
  );
  expect(work.read).toBeLessThan(50);
});
