import { isDuplicate } from '../../database/databaseErrors';
import { Conflict } from '../../errors';

/** A category as one statement read it; moments as MySQL writes them (UTC), `softDelete` 0 or 1. */
export interface CategoryRecord {
  id: number;
  companyId: number;
  name: string;
  softDelete: 0 | 1;
  createdAt: string;
  updatedAt: string;
}

export interface CategoryInput {
  name: string;
}

/** A PUT: what is absent stays as it is. */
export type CategoryChanges = Partial<CategoryInput>;

export const categoryColumns = 'c.id, c.companyId, c.name, c.softDelete, c.createdAt, c.updatedAt';

/** Names are compared as the collation does, without case and accents; a deleted category frees its name. */
export async function refuseDuplicateName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error, 'categories_active_name')) throw error;
    throw new Conflict('duplicate_category_name', `a category "${name}" exists already`);
  }
}
