import { recurringExpenses } from '../../../shared/expenses';
import { planBatch } from '../../../shared/recurrence/planBatch';
import { readOccurrences } from '../../../shared/recurrence/readOccurrences';
import type { DueSeries } from '../../../shared/recurrence/dueSeries';
import type { Sql } from '../../../shared/engine/db';
import type { Services } from '../../../shared/services';
import { createCompany, createExpense } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { plansOf } from '../../support/plans';
import { runAllSchedules, SetClock } from '../../support/schedules';

let services: Services;
let companyId: number;
beforeAll(async () => {
  services = await openTestServices({ clock: new SetClock('2026-01-01T05:00:00Z') });
  ({ companyId } = await createCompany(services));
});

test('one series of many was set back for years › of each series, only its planned dates are read', async () => {
  const daily = { expenseDate: '2026-01-01', recurring: 'daily' } as const;
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) ids.push((await createExpense(services, companyId, daily)).id);
  await runAllSchedules(services, { asOf: '2026-12-31' });
  const [late = 0, ...others] = ids;
  const due = ids.map((id): DueSeries => {
    const since = {
      anchorDate: '2026-01-01',
      recurringSince: '2026-01-01',
      timezone: 'UTC',
      endsOn: null,
      paused: 0,
    } as const;
    return {
      ...since,
      companyId,
      id,
      recurring: 'daily',
      every: 1,
      nextDueDate: id === late ? '2026-01-02' : '2027-01-01',
    };
  });
  let read = 0;
  const sql: Sql = {
    ...services.sql,
    rows: async <Row extends object>(...statement: Parameters<Sql['rows']>) => {
      const rows = await services.sql.rows<Row>(...statement);
      read += rows.length;
      return rows;
    },
  };
  const request = { asOf: '2027-01-01', now: new Date(), limit: 2 };
  const planned = await planBatch({ sql, companyId }, recurringExpenses, due, request);
  expect(planned.map(({ series, dates }) => [series.id, dates])).toEqual([
    [late, []],
    ...others.map((id) => [id, ['2027-01-01']]),
  ]);
  expect(read).toBe(2);
  const given = ids.flatMap((seriesId) => ['2026-02-01', '2026-11-30'].map((date) => ({ seriesId, date })));
  const [plan] = await plansOf(services.sql, (plain) => readOccurrences(plain, companyId, 'expenses', given));
  expect(plan).toMatchObject([{ key: 'expenses_occurrence', type: 'range' }]);
  expect(Number(plan?.[0]?.rows)).toBeLessThanOrEqual(given.length);
});
