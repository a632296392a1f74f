import { isDuplicate, type UnitOfWork } from '../engine/db';
import { Conflict } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { changeRecord, deleteRecord, readRecord, requireRoom } from '../engine/records';
import { Category } from './Category';
import { categoryEvents } from './events';
import { category, categoryKind, type CategoryChanges, type CategoryInput, type CategoryRecord } from './record';

/**
 * Creates a category and returns it as GET would. `most` is the limit for each company.
 * @throws {Conflict} `duplicate_category_name`; {@link LimitReached}.
 */
export async function createCategory(uow: UnitOfWork, input: CategoryInput, most = Infinity): Promise<CategoryRecord> {
  const { companyId, now, transaction } = uow;
  const ended = { text: 'softDelete', values: [] };
  await requireRoom(uow, { limit: 'categories', table: 'categories', many: 'categories', ended }, most);
  const { id } = await refuseDuplicateName(input.name, () =>
    Category.create(
      { ...category.newColumns(input), companyId, softDelete: false, createdAt: now, updatedAt: now },
      { transaction },
    ),
  );
  recordEvent(uow, categoryEvents.created, id, { name: input.name });
  return readRecord(uow.sql, companyId, categoryKind, id);
}

/**
 * Changes the given fields.
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
 * Soft-deletes a category: expenses keep showing it, new ones cannot refer to it, and its name is free again.
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
