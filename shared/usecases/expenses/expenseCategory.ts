import type { UnitOfWork } from '../../database/unitOfWork';
import { ValidationFailed } from '../../errors';

/** What a new expense takes from its company. */
export interface CompanyDefaults {
  currency: string;
}

/** As {@link ExpenseRecord} shows it. */
export interface ExpenseCategory {
  categoryName: string;
  categoryUpdatedAt: string;
}

type Found = CompanyDefaults & { [K in keyof ExpenseCategory]: ExpenseCategory[K] | null };

/**
 * The company's defaults, and in the same round trip the category that an expense is to have.
 * @throws {ValidationFailed} for a category that is not this company's, or is deleted.
 */
export async function companyAndCategory(
  uow: UnitOfWork,
  categoryId: number,
): Promise<CompanyDefaults & ExpenseCategory> {
  const [found] = await uow.sql.rows<Found>(
    `SELECT o.currency, c.name AS categoryName, c.updatedAt AS categoryUpdatedAt FROM companies o
       LEFT JOIN categories c ON c.companyId = o.id AND c.id = ? AND c.softDelete = 0 WHERE o.id = ?`,
    [categoryId, uow.companyId],
  );
  if (found === undefined || found.categoryName === null || found.categoryUpdatedAt === null) throw unknownCategory();
  const { currency, categoryName, categoryUpdatedAt } = found;
  return { currency, categoryName, categoryUpdatedAt };
}

/** The same for absent, deleted and another company's. */
function unknownCategory(): ValidationFailed {
  return ValidationFailed.at('categoryId', 'is not a category of this company');
}
