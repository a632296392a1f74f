import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { recordEvent } from '../recordEvent';
import { lockCategory } from './lockCategory';

/**
 * Soft-deletes: expenses keep showing the category, new ones cannot refer to it, and its name is free again.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export async function deleteCategory(
  uow: UnitOfWork,
  categoryId: number,
  ifMatch: string | null = null,
): Promise<void> {
  const category = await lockCategory(uow, categoryId, ifMatch);
  const updatedAt = nextUpdatedAt(uow.now, category.updatedAt);
  await category.update({ softDelete: true, updatedAt }, { transaction: uow.transaction });
  await recordEvent(uow, 'category.deleted', { type: 'category', id: categoryId });
}
