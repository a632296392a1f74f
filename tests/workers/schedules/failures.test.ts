import { ServiceUnavailable } from '../../../shared/engine/errors';
import type { Services } from '../../../shared/services';
import { RestingCompanies } from '../../../shared/recurrence';
import { previewSchedules } from '../../../shared/schedules/runSchedules';
import { createCompany, createExpense, createInvoice } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { atEnd, installation, openTestServices } from '../../support/installation';
import { datesOf, multiplySeries, nothingIsDue, runAllSchedules, seriesOf } from '../../support/schedules';
import { SetClock, wrongCounts } from '../../support/schedules';
import { startTcpProxy } from '../../support/tcpProxy';

const clock = new SetClock('2027-01-10T05:00:00Z');
let services: Services;

beforeAll(async () => {
  services = await openTestServices({ clock });
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-10T05:00:00Z');
});

const company = async (): Promise<number> => (await createCompany(services)).companyId;
const expense = async (companyId: number, changes: object = {}): Promise<number> =>
  (await createExpense(services, companyId, { recurring: 'daily', expenseDate: '2027-01-10', ...changes })).id;
const invoice = async (companyId: number, changes: object = {}): Promise<number> => {
  const dates = { issueDate: '2027-01-10', dueDate: '2027-01-20' };
  return (await createInvoice(services, companyId, { recurring: 'daily', ...dates, ...changes })).id;
};
const setTimezone = (companyId: number, timezone: string) =>
  services.sql.run('UPDATE companies SET timezone = ? WHERE id = ?', [timezone, companyId]);

describe('what cannot be done', () => {
  test('a company whose time zone is none › each of its series is reported, others continue, and it is made once repaired', async () => {
    const [broken, sound] = [await company(), await company()];
    const bad = { expense: await expense(broken), invoice: await invoice(broken) };
    const good = { expense: await expense(sound), invoice: await invoice(sound) };
    await setTimezone(broken, 'Mars/Olympus');
    await services.sql.run('UPDATE companies SET overdueCheckAt = ? WHERE id = ?', ['2000-01-01', broken]);
    clock.set('2027-01-12T05:00:00Z');
    const { created, failed } = await runAllSchedules(services, { wait: false });
    expect(failed).toMatchObject([
      { kind: 'expense', companyId: broken, id: bad.expense, error: expect.any(RangeError) as unknown },
      { kind: 'invoice', companyId: broken, id: bad.invoice, error: expect.any(RangeError) as unknown },
      { kind: 'overdue', companyId: broken, id: null, error: expect.any(RangeError) as unknown },
    ]);
    expect(created.map(({ kind, seriesId, date }) => [kind, seriesId, date])).toEqual([
      ['expense', good.expense, '2027-01-11'],
      ['expense', good.expense, '2027-01-12'],
      ['invoice', good.invoice, '2027-01-11'],
      ['invoice', good.invoice, '2027-01-12'],
    ]);
    const preview = await runAllSchedules(services, {}, previewSchedules);
    expect(preview).toMatchObject({ created: [], failed: failed.map(({ kind, id }) => ({ kind, id })) });
    await setTimezone(broken, 'Asia/Jakarta');
    const again = await runAllSchedules(services, { wait: false });
    expect(again.failed).toEqual([]);
    expect(again.created).toHaveLength(4);
    expect(await datesOf(services, bad.expense)).toEqual(['2027-01-11', '2027-01-12']);
    expect(await datesOf(services, bad.invoice, 'invoices')).toEqual(['2027-01-11', '2027-01-12']);
  });

  test('one series among hundreds of its company › it alone is reported, once, and leaves nothing', async () => {
    const companyId = await company();
    const ids = await multiplySeries(services, await expense(companyId), 250);
    const bad = ids[120] ?? 0;
    await services.sql.run('UPDATE expenses SET anchorDate = NULL WHERE id = ?', [bad]);
    clock.set('2027-01-12T05:00:00Z');
    const { created, failed } = await runAllSchedules(services, { wait: false });
    expect(failed).toMatchObject([{ kind: 'expense', companyId, id: bad }]);
    expect(String(failed[0]?.error)).toMatch(`expense ${bad} is due but is no series`);
    expect(created).toHaveLength(249 * 2);
    expect(await datesOf(services, bad)).toEqual([]);
    expect(await seriesOf(services, bad)).toMatchObject({ nextDueDate: '2027-01-11', dueAt: '2027-01-10 17:00:00' });
    expect(await wrongCounts(services, companyId)).toEqual([]);
    const events = await services.sql.rows<{ made: number }>(
      "SELECT COUNT(*) AS made FROM events WHERE companyId = ? AND actor LIKE 'schedule:%'",
      [companyId],
    );
    expect(events).toEqual([{ made: 498 }]);
    await services.sql.run('UPDATE expenses SET anchorDate = nextDueDate WHERE id = ?', [bad]);
    expect((await runAllSchedules(services)).created.map(({ seriesId }) => seriesId)).toEqual([bad, bad]);
  });

  test('an invoice series whose copy the database refuses › takes no number, and the others’ are gapless', async () => {
    const companyId = await company();
    const ids = [await invoice(companyId), await invoice(companyId), await invoice(companyId)];
    const bad = ids[1] ?? 0;
    clock.set('2027-01-12T05:00:00Z');
    const performForInstallation: Services['performForInstallation'] = (actor, work) =>
      services.performForInstallation(actor, (uow) => {
        const run: typeof uow.sql.run = (text, values = []) =>
          text.startsWith('UPDATE invoices SET nextDueDate') && values.includes(bad)
            ? Promise.reject(new Error('refused'))
            : uow.sql.run(text, values);
        return work({ ...uow, sql: { ...uow.sql, run } });
      });
    const { created, failed } = await runAllSchedules({ ...services, performForInstallation });
    expect(failed).toMatchObject([{ kind: 'invoice', companyId, id: bad }]);
    expect(created).toHaveLength(4);
    expect((await runAllSchedules(services)).created).toHaveLength(2);
    const numbers = await services.sql.rows<{ invoiceNumber: string }>(
      'SELECT invoiceNumber FROM invoices WHERE companyId = ? ORDER BY invoiceNumber',
      [companyId],
    );
    expect(numbers.map(({ invoiceNumber }) => invoiceNumber)).toEqual(
      Array.from({ length: 9 }, (_, n) => `INV-2027-0000${n + 1}`),
    );
  });

  test('a company whose statement takes too long › it alone is reported, and the others’ work is done', async () => {
    // Sequelize reports there that it could not roll back.
    jest.spyOn(console, 'warn').mockReturnValueOnce(undefined);
    const impatient = await openTestServices({ env: { DATABASE_TIMEOUT_MS: '1000' } });
    const [slow, sound] = [await company(), await company()];
    const dates = { status: 'sent', recurring: null, dueDate: '2027-01-11' };
    const late = await invoice(sound, dates);
    await invoice(slow, dates);
    await services.sql.run('UPDATE companies SET overdueCheckAt = ? WHERE id IN (?, ?)', ['2000-01-01', slow, sound]);
    clock.set('2027-01-12T05:00:00Z');
    // Its pool has a connection: a response does not come in time, and nothing else is wrong.
    await eventually(() => impatient.sql.rows('SELECT 1').catch(() => null));
    const perform: Services['perform'] = (scope, work) =>
      scope.companyId === slow
        ? impatient.perform(scope, async (uow) => work(await uow.sql.rows('SELECT SLEEP(60)').then(() => uow)))
        : services.perform(scope, work);
    const { overdue, failed } = await runAllSchedules({ ...services, perform });
    expect(failed).toMatchObject([{ kind: 'overdue', companyId: slow, id: null }]);
    expect(overdue).toEqual([{ companyId: sound, invoiceId: late }]);
  });

  test('very many series of a company › twenty are tried, then it is left alone, and holds up nobody else', async () => {
    const [broken, sound] = [await company(), await company()];
    await multiplySeries(services, await expense(broken), 1_001);
    const good = { expense: await expense(sound), invoice: await invoice(sound) };
    await setTimezone(broken, 'Mars/Olympus');
    clock.set('2027-01-11T05:00:00Z');
    const { created, failed } = await runAllSchedules(services, { wait: false });
    expect(created.map(({ seriesId }) => seriesId)).toEqual([good.expense, good.invoice]);
    expect(failed.map(({ kind, companyId, id }) => [kind, companyId, id === null])).toEqual([
      ...Array.from({ length: 20 }, () => ['expense', broken, false]),
      ['expense', broken, true],
      ['overdue', broken, true],
    ]);
    expect(new Set(failed.map(({ id }) => id)).size).toBe(21);
    await setTimezone(broken, 'Asia/Jakarta');
    expect((await runAllSchedules(services)).created).toHaveLength(1_001);
  });

  test('many such companies › hold up nobody else, and those that failed as a whole rest', async () => {
    const failing: number[] = [];
    for (let n = 0; n < 12; n++)
      failing.push((await multiplySeries(services, await expense(await company()), 20)).length);
    await services.sql.run('UPDATE expenses SET anchorDate = NULL WHERE dueAt IS NOT NULL');
    const last = await company();
    const good = { expense: await expense(last), invoice: await invoice(last) };
    clock.set('2027-01-11T05:00:00Z');
    const restingCompanies = new RestingCompanies(clock);
    const first = await runAllSchedules(services, { wait: false, restingCompanies });
    expect(first.created.map(({ seriesId }) => seriesId).sort()).toEqual([good.expense, good.invoice].sort());
    expect(first.failed).toHaveLength(failing.length * 21);
    expect((await runAllSchedules(services, { wait: false, restingCompanies })).failed).toEqual([]);
    clock.set('2027-01-11T05:00:31Z');
    expect((await runAllSchedules(services, { wait: false, restingCompanies })).failed).toHaveLength(
      failing.length * 21,
    );
    clock.set('2027-01-11T05:01:02Z');
    expect((await runAllSchedules(services, { wait: false, restingCompanies })).failed).toEqual([]);
  });
});

describe('MySQL becomes unreachable', () => {
  test.each(['before the scan', 'during the scan'])(
    '%s › the scan ends with ServiceUnavailable, and nothing is half done',
    async (when) => {
      const { DATABASE_URL: databaseUrl = '' } = await installation();
      const proxy = await startTcpProxy(databaseUrl);
      atEnd(() => proxy.restore());
      const behind = await openTestServices({ env: { DATABASE_URL: proxy.url }, clock });
      const companyId = await company();
      await multiplySeries(services, await expense(companyId), 500);
      clock.set('2027-01-13T05:00:00Z');
      if (when === 'before the scan') proxy.cut();
      let told = 0;
      const scan = runAllSchedules(behind, { wait: false }, undefined, () => {
        told += 1;
        proxy.cut();
      });
      await expect(scan).rejects.toThrow(ServiceUnavailable);
      expect(told).toBe(when === 'before the scan' ? 0 : 400);
      const half = await services.sql.rows(
        `SELECT s.id, s.nextDueDate, COUNT(o.id) AS made FROM expenses s
         LEFT JOIN expenses o ON o.companyId = s.companyId AND o.seriesId = s.id
        WHERE s.companyId = ? AND s.seriesId IS NULL
        GROUP BY s.id, s.nextDueDate HAVING COUNT(o.id) <> DATEDIFF(s.nextDueDate, '2027-01-11')`,
        [companyId],
      );
      expect(half).toEqual([]);
      expect(await wrongCounts(services, companyId)).toEqual([]);
      proxy.restore();
      expect((await runAllSchedules(behind)).created).toHaveLength(1_500 - told);
      expect(await wrongCounts(services, companyId)).toEqual([]);
    },
  );

  test('while the series of a failed batch are tried one by one › the scan fails, and reports none of them as failed', async () => {
    const companyId = await company();
    const [bad] = [await expense(companyId), await expense(companyId)];
    await services.sql.run('UPDATE expenses SET anchorDate = NULL WHERE id = ?', [bad]);
    clock.set('2027-01-11T05:00:00Z');
    let calls = 0;
    const performForInstallation: Services['performForInstallation'] = (actor, work) =>
      ++calls === 1
        ? services.performForInstallation(actor, work)
        : Promise.reject(new ServiceUnavailable('the database'));
    await expect(runAllSchedules({ ...services, performForInstallation })).rejects.toThrow(ServiceUnavailable);
    expect(calls).toBe(2);
  });
});
