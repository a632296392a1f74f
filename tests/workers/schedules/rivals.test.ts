import type { Services } from '../../../shared/services';
import { createCategory, createCompany, createExpense, createInvoice } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { datesOf, hold, lockWait, multiplySeries, nothingIsDue, runAllSchedules } from '../../support/schedules';
import { SetClock, seriesOf, wrongCounts } from '../../support/schedules';

const clock = new SetClock('2027-01-10T05:00:00Z');
let services: Services;
let companyId: number;
let categoryId: number;

beforeAll(async () => {
  services = await openTestServices({ clock });
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-10T05:00:00Z');
  ({ companyId } = await createCompany(services));
  categoryId = (await createCategory(services, companyId)).id;
});

const create = async (changes: object = {}): Promise<number> =>
  (await createExpense(services, companyId, { categoryId, expenseDate: '2027-01-10', recurring: 'daily', ...changes }))
    .id;
const lockSeries = (id: number) =>
  hold(services, (sql) =>
    sql.rows('SELECT id FROM expenses WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, id]),
  );

/** Inserts an occurrence as a concurrent scan would. */
async function insertBehind(seriesId: number, date: string, sql = services.sql): Promise<void> {
  await sql.run(
    `INSERT INTO expenses (companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring,
        seriesId, occurrenceDate, createdAt, updatedAt)
      SELECT companyId, categoryId, vendor, description, amount, currency, ?, 'pending', 'none', id, ?, createdAt, updatedAt
        FROM expenses WHERE id = ?`,
    [date, date, seriesId],
  );
}

/** Inserts an occurrence without foreign key checks, which would wait for the lock that a scan holds on the series. */
async function insertUnchecked(seriesId: number, date: string): Promise<void> {
  await services.perform({ companyId, actor: 'test' }, async ({ sql }) => {
    await sql.run('SET SESSION FOREIGN_KEY_CHECKS = 0');
    await insertBehind(seriesId, date, sql);
    await sql.run('SET SESSION FOREIGN_KEY_CHECKS = 1');
  });
}

describe('several concurrent scans', () => {
  test.each([
    ['that skip series locked by each other', false],
    ['that wait for each other', true],
  ])('three %s, over 1,000 series with four dates each › every date once', async (_, wait) => {
    await multiplySeries(services, await create(), 1_000);
    clock.set('2027-01-14T05:00:00Z');
    const scans = await Promise.all([1, 2, 3].map(() => runAllSchedules(services, { wait })));
    expect(scans.flatMap(({ failed }) => failed)).toEqual([]);
    expect(scans.reduce((sum, { created }) => sum + created.length, 0)).toBe(4_000);
    const [made] = await services.sql.rows(
      `SELECT COUNT(*) AS made, COUNT(DISTINCT seriesId, occurrenceDate) AS differing FROM expenses
        WHERE companyId = ? AND occurrenceDate BETWEEN '2027-01-11' AND '2027-01-14'`,
      [companyId],
    );
    expect(made).toEqual({ made: 4_000, differing: 4_000 });
    const [told] = await services.sql.rows(
      "SELECT COUNT(*) AS events FROM events WHERE companyId = ? AND actor = 'schedule:expenses'",
      [companyId],
    );
    expect(told).toEqual({ events: 4_000 });
    const stands = await services.sql.rows(
      'SELECT DISTINCT nextDueDate, dueAt FROM expenses WHERE companyId = ? AND seriesId IS NULL',
      [companyId],
    );
    expect(stands).toEqual([{ nextDueDate: '2027-01-15', dueAt: '2027-01-14 17:00:00' }]);
    expect(await wrongCounts(services, companyId)).toEqual([]);
  });

  test('three over many companies with invoices and expenses › every date once', async () => {
    const invoices: number[] = [];
    const companies: number[] = [];
    for (let n = 0; n < 6; n++) {
      const { companyId: id } = await createCompany(services);
      companies.push(id);
      const series = { recurring: 'daily', issueDate: '2027-01-10', dueDate: '2027-01-10' } as const;
      invoices.push((await createInvoice(services, id, series)).id, (await createInvoice(services, id, series)).id);
      await createExpense(services, id, { recurring: 'daily', expenseDate: '2027-01-10' });
    }
    clock.set('2027-01-18T05:00:00Z');
    const scans = await Promise.all([1, 2, 3].map(() => runAllSchedules(services)));
    expect(scans.flatMap(({ failed }) => failed)).toEqual([]);
    expect(scans.reduce((sum, { created }) => sum + created.length, 0)).toBe(6 * 3 * 8);
    for (const id of invoices) expect(await datesOf(services, id, 'invoices')).toHaveLength(8);
    for (const id of companies) expect(await wrongCounts(services, id)).toEqual([]);
  });
});

describe('a series that another transaction has locked', () => {
  test('by the clock › is left to it, and the others go on', async () => {
    const [held, free] = [await create(), await create()];
    clock.set('2027-01-11T05:00:00Z');
    const { letGo } = await lockSeries(held);
    const { created, failed } = await runAllSchedules(services, { wait: false });
    expect({ created, failed }).toMatchObject({ created: [{ seriesId: free, date: '2027-01-11' }], failed: [] });
    await letGo();
    expect((await runAllSchedules(services, { wait: false })).created).toMatchObject([{ seriesId: held }]);
  });

  test('for an operator › is waited for, so that nothing due is left at the end', async () => {
    const [held, free] = [await create(), await create()];
    clock.set('2027-01-11T05:00:00Z');
    const { letGo } = await lockSeries(held);
    const scan = runAllSchedules(services, { wait: true });
    await lockWait(services);
    await letGo();
    const { created } = await scan;
    expect(created.map(({ seriesId }) => seriesId).sort((a, b) => a - b)).toEqual([held, free]);
  });

  test('and that is stopped there › makes nothing', async () => {
    const held = await create();
    clock.set('2027-01-11T05:00:00Z');
    const { letGo } = await hold(services, (sql) =>
      sql.run('UPDATE expenses SET softDelete = 1, dueAt = NULL WHERE companyId = ? AND id = ?', [companyId, held]),
    );
    const scan = runAllSchedules(services, { wait: true });
    await lockWait(services);
    await letGo();
    expect((await scan).created).toEqual([]);
    expect(await datesOf(services, held)).toEqual([]);
  });
});

describe('an occurrence that is there already', () => {
  test('before the scan begins › is skipped, and the series continues', async () => {
    const id = await create();
    await insertBehind(id, '2027-01-12');
    clock.set('2027-01-13T05:00:00Z');
    const { created, failed } = await runAllSchedules(services);
    expect({ dates: created.map(({ date }) => date), failed }).toEqual({
      dates: ['2027-01-11', '2027-01-13'],
      failed: [],
    });
    expect(await datesOf(services, id)).toEqual(['2027-01-11', '2027-01-12', '2027-01-13']);
    expect(await seriesOf(services, id)).toMatchObject({ nextDueDate: '2027-01-14' });
  });

  test('only in a transaction that has not ended › its series is left alone, then passed over', async () => {
    const [id, other] = [await create(), await create()];
    clock.set('2027-01-11T05:00:00Z');
    const rival = await hold(services, (sql) => insertBehind(id, '2027-01-11', sql));
    const scan = await runAllSchedules(services, { wait: false });
    expect(scan).toMatchObject({ created: [{ seriesId: other }], failed: [] });
    await rival.letGo();
    expect(await runAllSchedules(services)).toMatchObject({ created: [], failed: [] });
    expect(await datesOf(services, id)).toEqual(['2027-01-11']);
    expect(await seriesOf(services, id)).toMatchObject({ nextDueDate: '2027-01-12' });
  });

  test('after the scan has read the dates › is found by the key, and the date is made once', async () => {
    const [id, other] = [await create(), await create()];
    clock.set('2027-01-11T05:00:00Z');
    let inserted = 0;
    const performForInstallation: Services['performForInstallation'] = (actor, work) =>
      services.performForInstallation(actor, (uow) => {
        const run: typeof uow.sql.run = async (text, values) => {
          if (text.startsWith('INSERT INTO expenses') && inserted++ === 0) await insertUnchecked(id, '2027-01-11');
          return uow.sql.run(text, values);
        };
        return work({ ...uow, sql: { ...uow.sql, run } });
      });
    const { created, failed } = await runAllSchedules({ ...services, performForInstallation });
    expect(inserted).toBe(2);
    expect({ created, failed }).toMatchObject({ created: [{ seriesId: other }], failed: [] });
    for (const series of [id, other]) {
      expect(await datesOf(services, series)).toEqual(['2027-01-11']);
      expect(await seriesOf(services, series)).toMatchObject({ nextDueDate: '2027-01-12' });
    }
  });
});

test('a transaction that fails between the occurrences and the next date › leaves nothing of them', async () => {
  const ids = [await create(), await create()];
  clock.set('2027-01-11T05:00:00Z');
  const before = await services.sql.rows('SELECT * FROM events ORDER BY id');
  const performForInstallation: Services['performForInstallation'] = (actor, work) =>
    services.performForInstallation(actor, (uow) => {
      const run: typeof uow.sql.run = (text, values) =>
        text.startsWith('UPDATE expenses SET nextDueDate')
          ? Promise.reject(new Error('the connection’s last breath'))
          : uow.sql.run(text, values);
      return work({ ...uow, sql: { ...uow.sql, run } });
    });
  const { created, failed } = await runAllSchedules({ ...services, performForInstallation });
  expect(created).toEqual([]);
  expect(failed.map(({ id }) => id)).toEqual(ids);
  for (const id of ids) {
    expect(await datesOf(services, id)).toEqual([]);
    expect(await seriesOf(services, id)).toMatchObject({ nextDueDate: '2027-01-11', dueAt: '2027-01-10 17:00:00' });
  }
  expect(await services.sql.rows('SELECT * FROM events ORDER BY id')).toEqual(before);
  expect(await wrongCounts(services, companyId)).toEqual([]);
  expect((await runAllSchedules(services)).created).toHaveLength(2);
});
