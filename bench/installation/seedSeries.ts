import type { Services } from '../../shared/services';
import { createCategory } from '../../shared/categories';
import { createCompany } from '../../shared/companies';
import { dueAtOf } from '../../shared/recurrence';
import { toSqlTime } from '../../shared/engine/db/sql';
import { insertMany } from './insertMany';

const actor = 'bench';

/** Creates a company with `count` daily series, each with one date due on the first day. Returns the company's id. */
export async function seedDueSeries(services: Services, count: number, firstDay: string): Promise<number> {
  const { id: companyId, timezone } = await services.performForInstallation(actor, (work) =>
    createCompany(work, { name: 'Daily' }),
  );
  const category = await services.perform({ companyId, actor }, (uow) => createCategory(uow, { name: 'Software' }));
  const at = toSqlTime(new Date());
  const dueAt = toSqlTime(dueAtOf(firstDay, timezone));
  const rows = Array.from({ length: count }, (_, index) => [
    ...[companyId, category.id, 'Awan Hosting', `Server ${index + 1}`, '125000.50', 'IDR', firstDay, 'approved'],
    ...['daily', firstDay, firstDay, firstDay, dueAt, 0, at, at],
  ]);
  await insertMany(services, 'expenses', columns, rows);
  return companyId;
}

const columns = [
  ...['companyId', 'categoryId', 'vendor', 'description', 'amount', 'currency', 'expenseDate', 'status', 'recurring'],
  ...['nextDueDate', 'anchorDate', 'recurringSince', 'dueAt', 'softDelete', 'createdAt', 'updatedAt'],
];
