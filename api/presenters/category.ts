import { toIsoTime } from '../../shared/database/sql';
import type { CategoryRecord } from '../../shared/usecases/categories/CategoryRecord';
import { boolean, line, moment, recordId, responseBody } from '../validation/fields';

export function presentCategory(category: CategoryRecord): object {
  return {
    id: category.id,
    companyId: category.companyId,
    name: category.name,
    softDelete: category.softDelete === 1,
    createdAt: toIsoTime(category.createdAt),
    updatedAt: toIsoTime(category.updatedAt),
  };
}

export const categorySchema = responseBody({
  id: recordId,
  companyId: recordId,
  name: line(255, 1),
  softDelete: boolean,
  createdAt: moment,
  updatedAt: moment,
});
