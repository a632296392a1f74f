import { createCompany, createExpense } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { runAllSchedules } from '../../support/schedules';
import type { Services } from '../../../shared/services';

let services: Services;
beforeAll(async () => {
  services = await openTestServices();
});

const datesOf = async (seriesId: number): Promise<string[]> => {
  const rows = await services.sql.rows<{ expenseDate: string }>(
    'SELECT expenseDate FROM expenses WHERE seriesId = ? ORDER BY expenseDate, id',
    [seriesId],
  );
  return rows.map(({ expenseDate }) => expenseDate);
};

test('a monthly series from January 31, run by three at once as of the March after next, has its 14 dates once each', async () => {
  const { companyId } = await createCompany(services);
  const series = await createExpense(services, companyId, { expenseDate: '2027-01-31', recurring: 'monthly' });
  const runs = [1, 2, 3].map(() => runAllSchedules(services, { asOf: '2028-03-31' }));
  await Promise.all(runs);
  expect(await datesOf(series.id)).toEqual([
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
    '2027-06-30',
    '2027-07-31',
    '2027-08-31',
    '2027-09-30',
    '2027-10-31',
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
  ]);
});
