import { toSqlTime, type SqlValue } from '../../shared/engine/db/sql';
import type { Services } from '../../shared/services';
import { createCategory } from '../../shared/categories';
import { insertMany } from './insertMany';
import { sampleExpense } from './samples';
import type { Seeded } from './seedInvoices';

const seededExpenses = 10_000;
const seededCategories = 20;
const actor = 'bench';

export interface SeededExpenses {
  categoryIds: number[];
  /** A category of the company that the baselines write to. */
  otherCategoryId: number;
}

/** Creates 10,000 expenses in 20 categories for the seeded company, and its record counts to match. */
export async function seedExpenses(services: Services, { companyId, other }: Seeded): Promise<SeededExpenses> {
  const categoryIds = await categories(services, companyId, seededCategories);
  const [otherCategoryId = 0] = await categories(services, other.companyId, 1);
  const counts = new Map<string, number>();
  const rows = Array.from({ length: seededExpenses }, (_, index): SqlValue[] => {
    const { vendor, description, amount, expenseDate, status } = sampleExpense(index);
    const at = toSqlTime(new Date(Date.UTC(2026, 0, 15) + index * 1000));
    counts.set(status, (counts.get(status) ?? 0) + 1);
    return [
      ...[companyId, categoryIds[index % seededCategories] ?? 0, vendor, description, amount, 'IDR', expenseDate],
      ...[status, 'none', 0, at, at],
    ];
  });
  await insertMany(services, 'expenses', columns, rows);
  const kept = [...counts].map(([status, total]) => [companyId, 'expense', 0, status, 0, total]);
  await insertMany(services, 'record_counts', ['companyId', 'kind', 'softDelete', 'status', 'slot', 'total'], kept);
  await services.sequelize.query('ANALYZE TABLE categories, expenses, record_counts');
  return { categoryIds, otherCategoryId };
}

function categories(services: Services, companyId: number, count: number): Promise<number[]> {
  return services.perform({ companyId, actor }, async (uow) => {
    const ids: number[] = [];
    for (let index = 0; index < count; index++) ids.push((await createCategory(uow, { name: `Kind ${index + 1}` })).id);
    return ids;
  });
}

const columns = [
  ...['companyId', 'categoryId', 'vendor', 'description', 'amount', 'currency', 'expenseDate', 'status', 'recurring'],
  ...['softDelete', 'createdAt', 'updatedAt'],
];
