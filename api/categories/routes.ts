import {
  category,
  categoryKind,
  categoryList,
  createCategory,
  deleteCategory,
  presentCategory,
  updateCategory,
} from '../../shared/categories';
import { recordRoutes } from '../http/recordRoutes';

export const categoryRoutes = recordRoutes({
  kind: categoryKind,
  list: categoryList,
  record: category,
  tag: 'Categories',
  names: { one: 'Category', many: 'Categories' },
  summaries: {
    create: 'Create a category',
    get: 'Get a category',
    update: 'Update a category',
    delete: 'Soft-delete a category: its expenses keep showing it, new ones cannot refer to it',
  },
  present: { listed: presentCategory, alone: presentCategory, changed: presentCategory },
  create: (uow, input, { config }) => createCategory(uow, input, config.stored.categories),
  update: updateCategory,
  delete: deleteCategory,
  examples: {
    list: { limit: 5 },
    create: { name: 'Training' },
    get: 1,
    update: [2, { name: 'Travel and lodging' }],
    delete: 3,
  },
  conflict: 'Another category has this name, or `limit_reached`: the company has as many categories as it can have.',
});
