import type { Category } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { changedFields, recordEvent } from '../recordEvent';
import { refuseDuplicateName, type CategoryChanges, type CategoryRecord } from './CategoryRecord';
import { getCategory } from './getCategory';
import { lockCategory } from './lockCategory';

/**
 * Changes what is given.
 * @throws {NotFound}, {@link PreconditionFailed}; {@link Conflict} `duplicate_category_name`.
 */
export async function updateCategory(
  uow: UnitOfWork,
  categoryId: number,
  changes: CategoryChanges,
  ifMatch: string | null = null,
): Promise<CategoryRecord> {
  const category = await lockCategory(uow, categoryId, ifMatch);
  const { updatedAt, ...before } = category.get({ plain: true }) as Category;
  const values = { ...changes, updatedAt: nextUpdatedAt(uow.now, updatedAt) };
  await refuseDuplicateName(changes.name ?? before.name, () =>
    category.update(values, { transaction: uow.transaction }),
  );
  const { updatedAt: _new, ...after } = category.get({ plain: true }) as Category;
  await recordEvent(
    uow,
    'category.updated',
    { type: 'category', id: categoryId },
    { changed: changedFields(before, after) },
  );
  return getCategory(uow.sql, uow.companyId, categoryId);
}
