import {
  assigned,
  type ChangesOf,
  describeList,
  describeRecord,
  entityTag,
  flag,
  type InputOf,
  presenter,
  type RecordKind,
  required,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { nameLine, recordId } from '../engine/schemas';
import { Category } from './Category';
import { categoryEvents, type CategoryFacts } from './events';

const fields = {
  id: assigned(value(recordId)),
  companyId: assigned(value(recordId)),
  name: required(value(nameLine(255))),
  softDelete: assigned(flag),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
};

export type CategoryRecord = RowOf<typeof fields>;
export type CategoryInput = InputOf<typeof fields>;
export type CategoryChanges = ChangesOf<typeof fields>;

export const category = describeRecord('Category', fields);
export const presentCategory = presenter(fields, { title: 'Category' });

export const categoryKind: RecordKind<Category, CategoryRecord, CategoryFacts> = {
  name: 'category',
  table: 'categories',
  alias: 'c',
  columns: category.columnsOf('c'),
  isDeletable: true,
  model: Category,
  tagOf: ({ updatedAt }) => entityTag(updatedAt),
  changeable: category.changeable,
  events: categoryEvents,
  facts: ({ name }) => ({ name }),
};

/** A company's categories. */
export const categoryList = describeList<typeof fields, CategoryRecord>(categoryKind, {
  sortBy: ['id', 'name', 'createdAt', 'updatedAt'],
  defaultSort: 'createdAt',
  cursorBy: ['id', 'createdAt', 'updatedAt'],
  search: ['name'],
  indexes: { id: 'PRIMARY', createdAt: 'categories_by_created', updatedAt: 'categories_by_updated' },
});
