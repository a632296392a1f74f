import type { SchemaObject } from 'ajv';
import { listOccurrences, type OccurrencesRequest, type SeriesKind } from '../../shared/recurrence';
import { expenseStatus, recurringExpenses } from '../../shared/expenses';
import { invoiceStatus, recurringInvoices } from '../../shared/invoices';
import { occurrencesSchema, presentOccurrences } from './present';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { includeDeleted, pageQuery } from '../../shared/engine/schemas';
import { pageRequest } from '../../shared/engine/records';

/** Like `limit`, `next` above 100 counts as 100. */
const query = pageQuery(['date'], 'date', {
  next: { type: 'integer', minimum: 0, default: 12 },
  ...includeDeleted,
});

function occurrencesRoute(operationId: string, kind: SeriesKind, tag: Route['tag'], schema: SchemaObject): Route {
  return route<unknown, OccurrencesRequest>({
    operationId,
    method: 'GET',
    path: `/api/${kind.table}/{id}/occurrences`,
    scope: 'read',
    tag,
    summary: `List what a recurring ${kind.name} has brought forth, and the dates to come`,
    query,
    example: { path: { id: 2 } },
    success: { status: 200, description: 'A page of its occurrences, and the next dates', schema },
    handle: async ({ services, companyId, id, query: { next, includeDeleted, ...page } }) => {
      const request = { ...pageRequest(page), next: Math.min(next, 100), includeDeleted };
      return ok(presentOccurrences(await listOccurrences(services.sql, companyId, kind, id, request)));
    },
  });
}

/** The same for both kinds of record that can recur. */
export const occurrenceRoutes: Route[] = [
  occurrencesRoute(
    'listExpenseOccurrences',
    recurringExpenses,
    'Expenses',
    occurrencesSchema('ExpenseOccurrence', expenseStatus),
  ),
  occurrencesRoute(
    'listInvoiceOccurrences',
    recurringInvoices,
    'Invoices',
    occurrencesSchema('InvoiceOccurrence', invoiceStatus, { invoiceNumber: { type: 'string' } }),
  ),
];
