import { createExpense } from '../../../shared/usecases/expenses/createExpense';
import { deleteExpense } from '../../../shared/usecases/expenses/deleteExpense';
import type { ExpenseChanges, ExpenseInput } from '../../../shared/usecases/expenses/ExpenseInput';
import type { ExpenseRecord } from '../../../shared/usecases/expenses/ExpenseRecord';
import { getExpense } from '../../../shared/usecases/expenses/getExpense';
import { listExpenses, type ExpenseListRequest } from '../../../shared/usecases/expenses/listExpenses';
import { updateExpense } from '../../../shared/usecases/expenses/updateExpense';
import { entityTag } from '../../../shared/usecases/entityTag';
import { mapPage, type PageRequest } from '../../../shared/usecases/page';
import {
  expenseSchema,
  expenseWithCategorySchema,
  presentExpense,
  presentExpenseWithCategory,
} from '../../presenters/expense';
import { messageSchema } from '../../presenters/message';
import { created, ok, route, type Route } from '../../routing/Route';
import { getQuery, listOf } from '../../validation/fields';
import { optionalDay, pageRequest } from '../../validation/listRequest';
import { checkExpenseBody, createExpenseBody, listExpensesQuery, updateExpenseBody } from './requests';

/** The checked query of the list; `category` is what the interface calls the category's id. */
type ListQuery = PageRequest<ExpenseListRequest['sortBy']> & {
  status: string;
  includeDeleted: boolean;
  category?: number;
  startDate?: string;
  endDate?: string;
  search?: string;
  vendorId?: number;
  currency?: string;
};

const tag = 'Expenses';
const withETag = (expense: ExpenseRecord): Record<string, string> => ({
  ETag: entityTag(expense.updatedAt, expense.categoryUpdatedAt),
});

export const expenseRoutes: Route[] = [
  route<unknown, ListQuery>({
    method: 'GET',
    path: '/api/expenses',
    scope: 'read',
    tag,
    summary: 'List expenses; `search` is a substring of the vendor or the description',
    query: listExpensesQuery,
    success: { status: 200, description: 'A page of expenses', schema: listOf(expenseWithCategorySchema) },
    handle: async ({ services, companyId, query }) => {
      const page = await listExpenses(services.sql, companyId, toListRequest(query));
      return ok(mapPage(page, presentExpenseWithCategory));
    },
  }),
  route<ExpenseInput>({
    method: 'POST',
    path: '/api/expenses',
    scope: 'write',
    tag,
    summary: 'Create an expense; with `recurring` other than none it is a series',
    body: createExpenseBody,
    check: checkExpenseBody,
    success: { status: 201, description: 'The created expense', schema: expenseSchema },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const expense = await createExpense(uow, call.body);
        return created(presentExpense(expense), { Location: `/api/expenses/${expense.id}`, ...withETag(expense) });
      }),
  }),
  route<unknown, { includeDeleted: boolean }>({
    method: 'GET',
    path: '/api/expenses/{id}',
    scope: 'read',
    tag,
    summary: 'Get an expense',
    query: getQuery,
    success: { status: 200, description: 'The expense', schema: expenseWithCategorySchema },
    handle: async ({ services, companyId, id, query }) => {
      const expense = await getExpense(services.sql, companyId, id, query);
      return ok(presentExpenseWithCategory(expense), withETag(expense));
    },
  }),
  route<ExpenseChanges>({
    method: 'PUT',
    path: '/api/expenses/{id}',
    scope: 'write',
    tag,
    summary: 'Update an expense: only supplied fields change',
    body: updateExpenseBody,
    check: checkExpenseBody,
    success: { status: 200, description: 'The updated expense', schema: expenseSchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        const expense = await updateExpense(uow, call.id, call.body, call.preconditions.ifMatch);
        return ok(presentExpense(expense), withETag(expense));
      }),
  }),
  route({
    method: 'DELETE',
    path: '/api/expenses/{id}',
    scope: 'write',
    tag,
    summary: 'Soft-delete an expense; a series ends',
    success: { status: 200, description: 'Deleted', schema: messageSchema },
    failures: { 412: '`If-Match` does not match.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await deleteExpense(uow, call.id, call.preconditions.ifMatch);
        return ok({ message: 'Expense deleted successfully' });
      }),
  }),
];

function toListRequest(query: ListQuery): ExpenseListRequest {
  return {
    ...pageRequest(query),
    status: query.status === 'all' ? null : query.status,
    categoryId: query.category ?? null,
    startDate: optionalDay(query.startDate),
    endDate: optionalDay(query.endDate),
    search: query.search ?? null,
    vendorId: query.vendorId ?? null,
    currency: query.currency ?? null,
    includeDeleted: query.includeDeleted,
  };
}
