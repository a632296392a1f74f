import type { SchemaObject } from 'ajv';
import { listOccurrences, type OccurrencesRequest } from '../../shared/usecases/recurrence/listOccurrences';
import { recurringExpenses } from '../../shared/usecases/recurrence/recurringExpenses';
import { recurringInvoices } from '../../shared/usecases/recurrence/recurringInvoices';
import type { SeriesKind } from '../../shared/usecases/recurrence/SeriesKind';
import { occurrencesSchema, presentOccurrences } from '../presenters/occurrences';
import { ok, route, type Route } from '../routing/Route';
import { expenseStatus, invoiceStatus, pageQuery } from '../validation/fields';
import { pageRequest } from '../validation/listRequest';

/** Like `limit`, `next` above 100 counts as 100. */
const query: SchemaObject = {
  type: 'object',
  properties: {
    next: { type: 'integer', minimum: 0, default: 12 },
    ...(pageQuery(['date'], 'date').properties as Record<string, SchemaObject>),
  },
};

function occurrencesRoute(kind: SeriesKind, tag: string, schema: SchemaObject): Route {
  return route<unknown, OccurrencesRequest>({
    method: 'GET',
    path: `/api/${kind.table}/{id}/occurrences`,
    scope: 'read',
    tag,
    summary: `List what a recurring ${kind.name} has brought forth, and the dates to come`,
    query,
    success: { status: 200, description: 'A page of its occurrences, and the next dates', schema },
    handle: async ({ services, companyId, id, query: { next, includeDeleted, ...page } }) => {
      const request = { ...pageRequest(page), next: Math.min(next, 100), includeDeleted };
      return ok(presentOccurrences(await listOccurrences(services.sql, companyId, kind, id, request)));
    },
  });
}

/** The same for both kinds of record that can recur. */
export const occurrenceRoutes: Route[] = [
  occurrencesRoute(recurringExpenses, 'Expenses', occurrencesSchema(expenseStatus)),
  occurrencesRoute(
    recurringInvoices,
    'Invoices',
    occurrencesSchema(invoiceStatus, { invoiceNumber: { type: 'string' } }),
  ),
];
