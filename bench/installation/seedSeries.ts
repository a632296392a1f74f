import type { Services } from '../../shared/services';
import { createCategory } from '../../shared/categories';
import { createCompany } from '../../shared/companies';
import { dueAtOf } from '../../shared/recurrence';
import { toSqlTime } from '../../shared/engine/db/sql';
import { insertMany } from './insertMany';

const actor = 'bench';

/** Creates a company with `count` daily series, each with one date due on the first day. Returns the company's id. */
export async function seedDueSeries(services: Services, count: number, firstDay: string): Promise<number> {
  const { companyId, categoryId, timezone } = await companyWithCategory(services, 'Daily');
  const at = toSqlTime(new Date());
  const dueAt = toSqlTime(dueAtOf(firstDay, timezone));
  const rows = Array.from({ length: count }, (_, index) => [
    ...[companyId, categoryId, 'Awan Hosting', `Server ${index + 1}`, '125000.50', 'IDR', firstDay, 'approved'],
    ...['daily', firstDay, firstDay, firstDay, dueAt, 0, at, at],
  ]);
  await insertMany(services, 'expenses', columns, rows);
  return companyId;
}

/** Creates yearly series (at most 1,000,000) over 100 companies by SQL alone. None is due before next month. */
export async function seedQuietSeries(services: Services, count: number): Promise<void> {
  const companies = 100;
  for (let index = 0; index < companies; index++) {
    const { companyId, categoryId } = await companyWithCategory(services, `Quiet ${index + 1}`);
    await services.sql.run(
      `INSERT INTO expenses (companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring,
           nextDueDate, anchorDate, recurringSince, dueAt, softDelete, createdAt, updatedAt)
         WITH RECURSIVE hundred (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM hundred WHERE n < 99),
           numbers (n) AS (SELECT a.n * 100 + b.n FROM hundred a CROSS JOIN hundred b)
         SELECT ?, ?, 'Awan Hosting', CONCAT('Server ', n), 125000.50, 'IDR', UTC_DATE(), 'approved', 'yearly',
           UTC_DATE() + INTERVAL 30 + n % 330 DAY, UTC_DATE() + INTERVAL 30 + n % 330 DAY, UTC_DATE(),
           UTC_DATE() + INTERVAL 30 + n % 330 DAY, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
           FROM numbers WHERE n < ${count / companies}`,
      [companyId, categoryId],
    );
  }
  await services.sequelize.query('ANALYZE TABLE companies, expenses, invoices');
}

async function companyWithCategory(
  services: Services,
  name: string,
): Promise<{ companyId: number; categoryId: number; timezone: string }> {
  const company = await services.performForInstallation(actor, (work) => createCompany(work, { name }));
  const scope = { companyId: company.id, actor };
  const category = await services.perform(scope, (uow) => createCategory(uow, { name: 'Software' }));
  return { companyId: company.id, categoryId: category.id, timezone: company.timezone };
}

const columns = [
  ...['companyId', 'categoryId', 'vendor', 'description', 'amount', 'currency', 'expenseDate', 'status', 'recurring'],
  ...['nextDueDate', 'anchorDate', 'recurringSince', 'dueAt', 'softDelete', 'createdAt', 'updatedAt'],
];
