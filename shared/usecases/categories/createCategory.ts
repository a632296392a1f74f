import { Category } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { recordEvent } from '../recordEvent';
import { refuseDuplicateName, type CategoryInput, type CategoryRecord } from './CategoryRecord';
import { getCategory } from './getCategory';

/**
 * Creates a category and answers it as GET would.
 * @throws {Conflict} `duplicate_category_name`.
 */
export async function createCategory(uow: UnitOfWork, { name }: CategoryInput): Promise<CategoryRecord> {
  const { companyId, now, transaction } = uow;
  const { id } = await refuseDuplicateName(name, () =>
    Category.create({ companyId, name, softDelete: false, createdAt: now, updatedAt: now }, { transaction }),
  );
  await recordEvent(uow, 'category.created', { type: 'category', id }, { name });
  return getCategory(uow.sql, companyId, id);
}
