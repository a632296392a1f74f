import { categorySortFields } from '../../../shared/usecases/categories/listCategories';
import { nameLine, listQuery, requestBody } from '../../validation/fields';

const fields = { name: nameLine(255) };

/** What responses show and a request cannot set. */
const ignored = ['id', 'companyId', 'softDelete', 'createdAt', 'updatedAt'];

export const createCategoryBody = requestBody(fields, { required: ['name'], ignored });
export const updateCategoryBody = requestBody(fields, { ignored });
export const listCategoriesQuery = listQuery(categorySortFields, 'createdAt');
