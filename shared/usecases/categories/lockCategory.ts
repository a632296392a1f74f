import { Category } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { NotFound } from '../../errors';
import { checkVersion } from '../entityTag';

/**
 * The category, locked until the end of the transaction.
 * @throws {NotFound} when absent, deleted or another company's; {@link PreconditionFailed}.
 */
export async function lockCategory(
  { companyId, transaction }: UnitOfWork,
  id: number,
  ifMatch: string | null,
): Promise<Category> {
  const category = await Category.findOne({
    where: { companyId, id, softDelete: false },
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  if (category === null) throw new NotFound('category');
  checkVersion(category.updatedAt, ifMatch);
  return category;
}
