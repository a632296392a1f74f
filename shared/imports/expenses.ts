import { findCategory } from '../categories';
import { commonDetails, knownExternalIds } from '../details';
import type { Sql } from '../engine/db';
import { type FieldProblem, ValidationFailed } from '../engine/errors';
import { bodyValidator, line, normaliseBody } from '../engine/schemas';
import { checkExpenseBody, createExpenses, expense, expenseDetails, type ExpenseInput } from '../expenses';
import { columnsOf, type ImportKind, type RowFields } from './ImportKind';

const { details: _, category: __, ...columns } = columnsOf(expense.newBody);
const check = bodyValidator(expense.newBody);
const nameOfCategory = line(255);

/** A file of expenses. The CSV of a list of expenses is accepted: its column `category.name` is read as `category`. */
export const expenses: ImportKind<ExpenseInput> = {
  columns: {
    ...columns,
    category: nameOfCategory,
    'category.id': { readOnly: true },
    'category.name': nameOfCategory,
    externalId: commonDetails.externalId.request,
  },
  needed: [['vendor'], ['amount'], ['expenseDate'], ['category', 'categoryId', 'category.name']],
  references: findCategories,
  toInput({ externalId, ...fields }) {
    const given = { ...fields, ...(externalId !== undefined && { details: { externalId } }) };
    try {
      check(given);
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      throw new ValidationFailed(error.problems.map((one) => ({ ...one, path: one.path.replace('details/', '') })));
    }
    const input = normaliseBody(expense.newBody, given) as ExpenseInput;
    checkExpenseBody(input);
    return input;
  },
  known: (sql, companyId, externalIds) => knownExternalIds(sql, companyId, expenseDetails.table, externalIds),
  create: createExpenses,
};

/** Each category is looked up once, because a file has few. If it is deleted meanwhile, the create refuses it. */
function findCategories(sql: Sql, companyId: number): (fields: RowFields) => Promise<readonly FieldProblem[]> {
  const found = new Map<number | string, number | null>();
  return async (fields) => {
    const { categoryId: id, category = fields['category.name'] } = fields;
    delete fields.category;
    delete fields['category.name'];
    const given = id ?? category;
    // The schema reports an id of the wrong form.
    if (!Number.isSafeInteger(given) && (id !== undefined || typeof given !== 'string')) return [];
    const key = given as number | string;
    if (!found.has(key)) found.set(key, await findCategory(sql, companyId, key));
    const categoryId = found.get(key) ?? null;
    // Any id will do, so that the other problems of the row are found too.
    fields.categoryId = categoryId ?? 1;
    const path = id === undefined ? 'category' : 'categoryId';
    return categoryId === null ? [{ path, message: 'is not a category of this company' }] : [];
  };
}
