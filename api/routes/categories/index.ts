import type {
  CategoryChanges,
  CategoryInput,
  CategoryRecord,
} from '../../../shared/usecases/categories/CategoryRecord';
import { createCategory } from '../../../shared/usecases/categories/createCategory';
import { deleteCategory } from '../../../shared/usecases/categories/deleteCategory';
import { getCategory } from '../../../shared/usecases/categories/getCategory';
import { listCategories, type CategoryListRequest } from '../../../shared/usecases/categories/listCategories';
import { updateCategory } from '../../../shared/usecases/categories/updateCategory';
import { entityTag } from '../../../shared/usecases/entityTag';
import { mapPage } from '../../../shared/usecases/page';
import { categorySchema, presentCategory } from '../../presenters/category';
import { messageSchema } from '../../presenters/message';
import { created, ok, route, type Route } from '../../routing/Route';
import { getQuery, listOf } from '../../validation/fields';
import { searchRequest, type SearchQuery } from '../../validation/listRequest';
import { createCategoryBody, listCategoriesQuery, updateCategoryBody } from './requests';

const tag = 'Categories';
const withETag = ({ updatedAt }: CategoryRecord): Record<string, string> => ({ ETag: entityTag(updatedAt) });

export const categoryRoutes: Route[] = [
  route<unknown, SearchQuery<CategoryListRequest['sortBy']>>({
    method: 'GET',
    path: '/api/categories',
    scope: 'read',
    tag,
    summary: 'List categories; `search` is a substring of the name',
    query: listCategoriesQuery,
    success: { status: 200, description: 'A page of categories', schema: listOf(categorySchema) },
    handle: async ({ services, companyId, query }) =>
      ok(mapPage(await listCategories(services.sql, companyId, searchRequest(query)), presentCategory)),
  }),
  route<CategoryInput>({
    method: 'POST',
    path: '/api/categories',
    scope: 'write',
    tag,
    summary: 'Create a category',
    body: createCategoryBody,
    success: { status: 201, description: 'The created category', schema: categorySchema },
    failures: { 409: 'Another category has this name.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const category = await createCategory(uow, call.body);
        return created(presentCategory(category), {
          Location: `/api/categories/${category.id}`,
          ...withETag(category),
        });
      }),
  }),
  route<unknown, { includeDeleted: boolean }>({
    method: 'GET',
    path: '/api/categories/{id}',
    scope: 'read',
    tag,
    summary: 'Get a category',
    query: getQuery,
    success: { status: 200, description: 'The category', schema: categorySchema },
    handle: async ({ services, companyId, id, query }) => {
      const category = await getCategory(services.sql, companyId, id, query);
      return ok(presentCategory(category), withETag(category));
    },
  }),
  route<CategoryChanges>({
    method: 'PUT',
    path: '/api/categories/{id}',
    scope: 'write',
    tag,
    summary: 'Update a category',
    body: updateCategoryBody,
    success: { status: 200, description: 'The updated category', schema: categorySchema },
    failures: { 409: 'Another category has this name.', 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const category = await updateCategory(uow, call.id, call.body, call.preconditions.ifMatch);
        return ok(presentCategory(category), withETag(category));
      }),
  }),
  route({
    method: 'DELETE',
    path: '/api/categories/{id}',
    scope: 'write',
    tag,
    summary: 'Soft-delete a category: its expenses keep showing it, new ones cannot refer to it',
    success: { status: 200, description: 'Deleted', schema: messageSchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await deleteCategory(uow, call.id, call.preconditions.ifMatch);
        return ok({ message: 'Category deleted successfully' });
      }),
  }),
];
