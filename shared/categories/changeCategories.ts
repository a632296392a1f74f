import { isDuplicate } from '../kernel/database/databaseErrors';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { Conflict } from '../kernel/errors';
import { recordEvent } from '../kernel/events/recordEvent';
import { changeRecord, deleteRecord } from '../kernel/records/changeRecord';
import { readRecord } from '../kernel/records/source';
import { Category } from './Category';
import { categoryEvents } from './events';
import { category, categoryKind, type CategoryChanges, type CategoryInput, type CategoryRecord } from './record';

/**
 * Creates a category and returns it as GET would.
 * @throws {Conflict} `duplicate_category_name`.
 */
export async function createCategory(uow: UnitOfWork, input: CategoryInput): Promise<CategoryRecord> {
  const { companyId, now, transaction } = uow;
  const { id } = await refuseDuplicateName(input.name, () =>
    Category.create(
      { ...category.newColumns(input), companyId, softDelete: false, createdAt: now, updatedAt: now },
      { transaction },
    ),
  );
  await recordEvent(uow, categoryEvents.created, id, { name: input.name });
  return readRecord(uow.sql, companyId, categoryKind, id);
}

/**
 * Changes what is given.
 * @throws {NotFound}, {@link PreconditionFailed}; {@link Conflict} `duplicate_category_name`.
 */
export function updateCategory(
  uow: UnitOfWork,
  categoryId: number,
  changes: CategoryChanges,
  ifMatch: string | null = null,
): Promise<CategoryRecord> {
  return refuseDuplicateName(changes.name ?? '', () =>
    changeRecord(uow, categoryKind, categoryId, {
      ifMatch,
      apply: (found) => void found.set(category.toColumns(changes)),
    }),
  );
}

/**
 * Soft-deletes: expenses keep showing the category, new ones cannot refer to it, and its name is free again.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export function deleteCategory(uow: UnitOfWork, categoryId: number, ifMatch: string | null = null): Promise<void> {
  return deleteRecord(uow, categoryKind, categoryId, ifMatch);
}

/** Names are compared as the collation does, without case and accents; a deleted category frees its name. */
async function refuseDuplicateName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error, 'categories_active_name')) throw error;
    throw new Conflict('duplicate_category_name', `a category "${name}" exists already`);
  }
}
