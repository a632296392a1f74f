import type { SchemaObject } from 'ajv';
import type { Model } from 'sequelize';
import type { UnitOfWork } from '../../shared/engine/db';
import {
  listOccurrences,
  type OccurrencesRequest,
  readRecurrence,
  type RecurrenceDescription,
  type SeriesKind,
} from '../../shared/recurrence';
import {
  expenseKind,
  expenseRecurrence,
  type ExpenseRecurrenceChanges,
  expenseStatus,
  recurringExpenses,
  updateExpense,
} from '../../shared/expenses';
import {
  invoiceKind,
  invoiceRecurrence,
  type InvoiceRecurrenceChanges,
  invoiceStatus,
  recurringInvoices,
  updateInvoice,
} from '../../shared/invoices';
import { occurrencesSchema, presentOccurrences } from './present';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { getQuery, includeDeleted, pageQuery } from '../../shared/engine/schemas';
import { type Fields, pageRequest, type RecordKind } from '../../shared/engine/records';

type AnyModel = Model & { id: number; updatedAt: Date; softDelete: boolean };

interface RecurrenceRoutes<M extends AnyModel, Row extends object, F extends Fields, Changes> {
  kind: RecordKind<M, Row>;
  recurrence: RecurrenceDescription<F>;
  one: 'Invoice' | 'Expense';
  tag: Route['tag'];
  update(uow: UnitOfWork, id: number, changes: Changes, ifMatch: string | null): Promise<unknown>;
}

/** Returns the routes that read and change the recurrence of one kind of record. */
function recurrenceOf<M extends AnyModel, Row extends object, F extends Fields, Changes>(
  of: RecurrenceRoutes<M, Row, F, Changes>,
): Route[] {
  const { kind, recurrence, one, tag } = of;
  const path = `/api/${kind.table}/{id}/recurrence`;
  const both = [kind, recurrence] as const;
  const { present } = recurrence;
  return [
    route<unknown, { includeDeleted: boolean }>({
      operationId: `get${one}Recurrence`,
      method: 'GET',
      path,
      scope: 'read',
      tag,
      summary: `Get how the ${kind.name} recurs`,
      query: getQuery,
      success: { headers: ['ETag'], status: 200, description: 'Its recurrence', schema: present.schema },
      handle: async ({ services, companyId, id, query }) => {
        const found = await readRecurrence(services.sql, companyId, both, id, query);
        return ok(present(found.recurrence), { ETag: kind.tagOf(found.record) });
      },
    }),
    route<Changes>({
      operationId: `update${one}Recurrence`,
      method: 'PUT',
      path,
      scope: 'write',
      tag,
      summary: `Change how the ${kind.name} recurs: only supplied fields change`,
      body: recurrence.body,
      success: { headers: ['ETag'], status: 200, description: 'The changed recurrence', schema: present.schema },
      failures: { 412: '`If-Match` does not match.' },
      handle: (call) =>
        call.inUnitOfWork(async (uow) => {
          await of.update(uow, call.id, call.body, call.preconditions.ifMatch);
          const changed = await readRecurrence(uow.sql, uow.companyId, both, call.id);
          return ok(present(changed.recurrence), { ETag: kind.tagOf(changed.record) });
        }),
    }),
  ];
}

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

/** The same operations for both kinds of record that can recur. */
export const recurrenceRoutes: Route[] = [
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
  ...recurrenceOf({
    kind: expenseKind,
    recurrence: expenseRecurrence,
    one: 'Expense',
    tag: 'Expenses',
    update: (uow, id, changes: ExpenseRecurrenceChanges, ifMatch) => updateExpense(uow, id, changes, ifMatch),
  }),
  ...recurrenceOf({
    kind: invoiceKind,
    recurrence: invoiceRecurrence,
    one: 'Invoice',
    tag: 'Invoices',
    update: (uow, id, changes: InvoiceRecurrenceChanges, ifMatch) => updateInvoice(uow, id, changes, ifMatch),
  }),
];
