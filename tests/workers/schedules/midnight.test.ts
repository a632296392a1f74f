import { createCompany, createExpense, createInvoice } from '../../support/factories';
import { lockWait, nothingIsDue, runAllSchedules, seriesOf, SetClock } from '../../support/schedules';
import { startApi, type TestApi } from '../../support/server';
import { moveMidnight } from '../../../shared/recurrence';
import type { Sql } from '../../../shared/engine/db/sql';
import type { Services } from '../../../shared/services';

const clock = new SetClock('2027-01-01T05:00:00Z');
let api: TestApi;
let services: Services;

beforeAll(async () => {
  api = await startApi({ clock });
  services = api.services;
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-01T05:00:00Z');
});

const made = async (): Promise<string[]> => {
  const { created, failed } = await runAllSchedules(services);
  expect(failed).toEqual([]);
  return created.map(({ kind, date }) => `${kind} ${date}`).sort();
};

/** A daily series of each kind, of which the first date is the one given. */
async function seriesIn(timezone: string, nextDueDate: string): Promise<{ companyId: number; token: string }> {
  const company = await createCompany(services, { timezone });
  const series = { recurring: 'daily', nextDueDate } as const;
  await createExpense(services, company.companyId, { expenseDate: '2026-12-01', ...series });
  await createInvoice(services, company.companyId, { issueDate: '2026-12-01', dueDate: '2026-12-01', ...series });
  return company;
}

describe('a company’s day begins at its own midnight', () => {
  test.each([
    ['Pacific/Kiritimati', '2027-06-15', '2027-06-14T10:00:00.000Z'],
    ['Asia/Jakarta', '2027-06-15', '2027-06-14T17:00:00.000Z'],
    ['UTC', '2027-06-15', '2027-06-15T00:00:00.000Z'],
    ['America/New_York', '2027-03-14', '2027-03-14T05:00:00.000Z'],
    ['America/New_York', '2027-03-15', '2027-03-15T04:00:00.000Z'],
    ['America/New_York', '2027-11-07', '2027-11-07T04:00:00.000Z'],
    ['America/New_York', '2027-11-08', '2027-11-08T05:00:00.000Z'],
    ['Africa/Cairo', '2027-04-29', '2027-04-28T22:00:00.000Z'],
    // Clocks go from 24:00 to 01:00: the day has no midnight.
    ['Africa/Cairo', '2027-04-30', '2027-04-29T22:00:00.000Z'],
    ['Africa/Cairo', '2027-05-01', '2027-04-30T21:00:00.000Z'],
    // Clocks go from 24:00 back to 23:00: the day begins after the second of them.
    ['Africa/Cairo', '2027-10-29', '2027-10-28T22:00:00.000Z'],
    ['Etc/GMT+12', '2027-06-15', '2027-06-15T12:00:00.000Z'],
  ])('in %s › of %s at %s, and not a millisecond before', async (timezone, day, midnight) => {
    clock.set(`${day.slice(0, 8)}01T05:00:00Z`);
    await seriesIn(timezone, day);
    clock.set(new Date(Date.parse(midnight) - 1));
    expect(await made()).toEqual([]);
    clock.set(midnight);
    expect(await made()).toEqual([`expense ${day}`, `invoice ${day}`]);
    expect(await made()).toEqual([]);
  });

  test('the same moments, several zones › each company gets its days and no other’s', async () => {
    const zones = ['Pacific/Kiritimati', 'Asia/Jakarta', 'America/New_York', 'Etc/GMT+12'];
    const companies = new Map<string, number>();
    for (const zone of zones) companies.set(zone, (await seriesIn(zone, '2027-02-01')).companyId);
    const rolled = async (moment: string): Promise<string[]> => {
      clock.set(moment);
      const { created } = await runAllSchedules(services);
      return zones.filter((zone) => created.some(({ companyId }) => companyId === companies.get(zone)));
    };
    expect(await rolled('2027-01-31T09:59:59.999Z')).toEqual([]);
    expect(await rolled('2027-01-31T10:00:00Z')).toEqual(['Pacific/Kiritimati']);
    expect(await rolled('2027-01-31T17:00:00Z')).toEqual(['Asia/Jakarta']);
    expect(await rolled('2027-02-01T05:00:00Z')).toEqual(['America/New_York']);
    expect(await rolled('2027-02-01T10:00:00Z')).toEqual(['Pacific/Kiritimati']);
    expect(await rolled('2027-02-01T12:00:00Z')).toEqual(['Etc/GMT+12']);
  });

  test('as of a date, that date is today in every company, whatever its zone and the clock', async () => {
    clock.set('2027-01-01T23:30:00Z');
    for (const zone of ['Pacific/Kiritimati', 'Asia/Jakarta', 'America/New_York', 'Etc/GMT+12']) {
      await seriesIn(zone, '2027-01-05');
    }
    const asOf = async (date: string): Promise<string[]> => {
      const { created } = await runAllSchedules(services, { asOf: date });
      return created.filter(({ kind }) => kind === 'expense').map((one) => one.date);
    };
    expect(await asOf('2027-01-04')).toEqual([]);
    expect(await asOf('2027-01-05')).toEqual(Array(4).fill('2027-01-05'));
    expect(await asOf('2027-01-05')).toEqual([]);
    expect(await asOf('2026-12-31')).toEqual([]);
    expect(await asOf('2027-01-06')).toEqual(Array(4).fill('2027-01-06'));
  });
});

describe('another time zone of a company', () => {
  const move = (token: string, timezone: string) => api.as(token).put('/api/company').send({ timezone }).expect(200);

  test('moves every series, also of more dates than one statement takes', async () => {
    const { companyId, token } = await createCompany(services, { timezone: 'UTC' });
    const days = Array.from({ length: 450 }, (_, index) =>
      new Date(Date.UTC(2027, 1, 1 + index)).toISOString().slice(0, 10),
    );
    for (const nextDueDate of days) {
      await createExpense(services, companyId, { expenseDate: '2026-12-01', recurring: 'yearly', nextDueDate });
    }
    const dueHours = async (): Promise<string[]> => {
      const sql = 'SELECT dueAt FROM expenses WHERE companyId = ? ORDER BY nextDueDate';
      const moved = await services.sql.rows<{ dueAt: string }>(sql, [companyId]);
      return moved.map(({ dueAt }) => dueAt.slice(0, 13));
    };
    const midnights = (hours: number): string[] =>
      days.map((day) => new Date(Date.parse(day) - hours * 3_600_000).toISOString().slice(0, 13).replace('T', ' '));
    await move(token, 'Asia/Tokyo');
    expect(await dueHours()).toEqual(midnights(9));

    // To the west, where a page of dates ends up between those of the next one.
    const read: number[] = [];
    await services.perform({ companyId, actor: 'test' }, (uow) => {
      const rows: Sql['rows'] = async <T extends object>(...statement: Parameters<Sql['rows']>) => {
        const found = await uow.sql.rows<T>(...statement);
        read.push(found.length);
        return found;
      };
      return moveMidnight({ ...uow, sql: { ...uow.sql, rows } }, 'Pacific/Honolulu');
    });
    expect(await dueHours()).toEqual(midnights(-10));
    expect(Math.max(...read)).toBe(200);
  });

  test('to the east › what is due comes earlier, immediately where its midnight has passed', async () => {
    const { token } = await seriesIn('America/New_York', '2027-01-10');
    clock.set('2027-01-09T12:00:00Z');
    expect(await made()).toEqual([]);
    await move(token, 'Pacific/Kiritimati');
    expect(await made()).toEqual(['expense 2027-01-10', 'invoice 2027-01-10']);
    clock.set('2027-01-10T09:59:59.999Z');
    expect(await made()).toEqual([]);
    clock.set('2027-01-10T10:00:00Z');
    expect(await made()).toEqual(['expense 2027-01-11', 'invoice 2027-01-11']);
  });

  test('to the west › what is due comes later, and not the same day twice', async () => {
    const { token } = await seriesIn('Pacific/Kiritimati', '2027-01-10');
    clock.set('2027-01-09T10:00:00Z');
    expect(await made()).toEqual(['expense 2027-01-10', 'invoice 2027-01-10']);
    await move(token, 'America/New_York');
    clock.set('2027-01-10T10:00:00Z');
    expect(await made()).toEqual([]);
    clock.set('2027-01-11T04:59:59.999Z');
    expect(await made()).toEqual([]);
    clock.set('2027-01-11T05:00:00Z');
    expect(await made()).toEqual(['expense 2027-01-11', 'invoice 2027-01-11']);
  });

  test('moves every series of the company and none of another’s, nor what is stopped', async () => {
    const { token, companyId } = await seriesIn('Asia/Jakarta', '2027-01-10');
    const other = await createCompany(services);
    const { id: others } = await createExpense(services, other.companyId, { recurring: 'yearly' });
    const { id: yearly } = await createExpense(services, companyId, { recurring: 'yearly' });
    const { id: stopped } = await createExpense(services, companyId, { nextDueDate: '2027-03-01' });
    const before = await seriesOf(services, others);
    await move(token, 'UTC');
    expect(await seriesOf(services, yearly)).toMatchObject({ nextDueDate: '2027-01-15', dueAt: '2027-01-15 00:00:00' });
    expect((await seriesOf(services, stopped)).dueAt).toBeNull();
    expect(await seriesOf(services, others)).toEqual(before);
  });

  test.each([
    ['Pacific/Kiritimati', '2027-01-10 10:00:00'],
    ['Pacific/Auckland', '2027-01-10 11:00:00'],
    ['Pacific/Pago_Pago', '2027-01-11 11:00:00'],
  ])('to %s, while a scan has a series locked › does not leave it at the old midnight', async (zone, dueAt) => {
    const { token, companyId } = await seriesIn('America/New_York', '2027-01-10');
    clock.set('2027-01-10T05:00:00Z');
    let reached: () => void = () => undefined;
    let goOn: () => void = () => undefined;
    const inHand = new Promise<void>((resolve) => (reached = resolve));
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const performForInstallation: Services['performForInstallation'] = (actor, work) =>
      services.performForInstallation(actor, async (uow) => {
        const result = await work(uow);
        reached();
        await gate;
        return result;
      });
    const scan = runAllSchedules({ ...services, performForInstallation });
    await inHand;
    const moved = move(token, zone).then(({ status }) => status);
    await lockWait(services);
    goOn();
    expect(await moved).toBe(200);
    expect((await scan).failed).toEqual([]);
    const due = await services.sql.rows(
      'SELECT nextDueDate, dueAt FROM expenses WHERE companyId = ? AND dueAt IS NOT NULL',
      [companyId],
    );
    expect(due).toEqual([{ nextDueDate: '2027-01-11', dueAt }]);
  });

  /** Services in which the zone changes right after a transaction has read it, as far as that does not have to wait. */
  function changingZone(token: string, zone: string): { behind: Services; moved: () => Promise<unknown> } {
    let moving: Promise<unknown> | undefined;
    const watched = (sql: Sql): Sql => ({
      ...sql,
      rows: async (text, values) => {
        const read = await sql.rows<never>(text, values);
        if (moving === undefined && /^SELECT (id, )?timezone/.test(text)) {
          moving = move(token, zone).then(({ status }) => status);
          await Promise.race([moving, lockWait(services)]);
        }
        return read;
      },
    });
    return {
      behind: {
        ...services,
        perform: (scope, use) => services.perform(scope, (uow) => use({ ...uow, sql: watched(uow.sql) })),
        performForInstallation: (actor, use) =>
          services.performForInstallation(actor, (work) => use({ ...work, sql: watched(work.sql) })),
      },
      moved: () => moving ?? Promise.reject(new Error('no zone was read')),
    };
  }

  test('while a scan skips dates after it has read the zone › does not leave the series at the old midnight', async () => {
    const { companyId, token } = await createCompany(services, { timezone: 'America/New_York' });
    const { id } = await createExpense(services, companyId, { expenseDate: '2020-01-05', recurring: 'yearly' });
    // As earlier versions left it.
    await services.sql.run("UPDATE expenses SET nextDueDate = '2021-01-05', dueAt = '2021-01-05' WHERE id = ?", [id]);
    const { behind, moved } = changingZone(token, 'Pacific/Auckland');
    expect((await runAllSchedules(behind)).failed).toEqual([]);
    expect(await moved()).toBe(200);
    expect(await seriesOf(services, id)).toMatchObject({ nextDueDate: '2027-01-05', dueAt: '2027-01-04 11:00:00' });
  });

  test.each(['expenses', 'invoices'] as const)(
    'while a series of %s is made, its zone having been read › does not leave it at the old midnight',
    async (table) => {
      const { companyId, token } = await createCompany(services, { timezone: 'America/New_York' });
      const { behind, moved } = changingZone(token, 'Pacific/Auckland');
      const { id } =
        table === 'expenses'
          ? await createExpense(behind, companyId, { expenseDate: '2027-01-05', recurring: 'daily' })
          : await createInvoice(behind, companyId, {
              issueDate: '2027-01-05',
              dueDate: '2027-01-05',
              recurring: 'daily',
            });
      expect(await moved()).toBe(200);
      const due = { nextDueDate: '2027-01-06', dueAt: '2027-01-05 11:00:00' };
      expect(await seriesOf(services, id, table)).toMatchObject(due);
    },
  );

  test('has its overdue invoices looked for once more in the day that it is then', async () => {
    const { token, companyId } = await createCompany(services, { timezone: 'America/New_York' });
    clock.set('2027-01-05T12:00:00Z');
    const { id } = await createInvoice(services, companyId, {
      status: 'sent',
      dueDate: '2027-01-09',
      issueDate: '2027-01-05',
    });
    clock.set('2027-01-09T12:00:00Z');
    expect((await runAllSchedules(services)).overdue).toEqual([]);
    // There it is the 10th.
    await move(token, 'Pacific/Kiritimati');
    expect((await runAllSchedules(services)).overdue).toEqual([{ companyId, invoiceId: id }]);
    await move(token, 'America/New_York');
    expect((await runAllSchedules(services)).overdue).toEqual([]);
  });

  test('while its invoices are looked through › has them looked through once more', async () => {
    const { token, companyId } = await createCompany(services, { timezone: 'America/New_York' });
    clock.set('2027-01-05T12:00:00Z');
    const due = { status: 'sent', issueDate: '2027-01-05', dueDate: '2027-01-09' } as const;
    const { id } = await createInvoice(services, companyId, due);
    clock.set('2027-01-09T12:00:00Z');
    const perform: Services['perform'] = async (scope, work) => {
      const result = await services.perform(scope, work);
      if (scope.actor === 'schedule:overdue') await move(token, 'Pacific/Kiritimati');
      return result;
    };
    expect((await runAllSchedules({ ...services, perform })).overdue).toEqual([]);
    expect((await runAllSchedules(services)).overdue).toEqual([{ companyId, invoiceId: id }]);
  });
});
