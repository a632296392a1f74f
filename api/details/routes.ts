import type { Model } from 'sequelize';
import { changeDetails, type DetailFields, type Details, readDetails } from '../../shared/details';
import type { ChangesOf, RecordKind } from '../../shared/engine/records';
import { getQuery } from '../../shared/engine/schemas';
import { expenseDetails, expenseKind } from '../../shared/expenses';
import { checkDetails, invoiceDetails, type InvoiceDetailsInput, invoiceKind } from '../../shared/invoices';
import type { Tag } from '../http/openapi/tags';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

type AnyModel = Model & { id: number; updatedAt: Date; softDelete: boolean };

interface DetailsRoutes<M extends AnyModel, Row extends object, F extends DetailFields> {
  kind: RecordKind<M, Row>;
  details: Details<F>;
  one: 'Invoice' | 'Expense';
  tag: Tag;
  what: string;
  example: { id: number; changes: object };
  check?: (changes: object) => void;
}

/** Returns the routes that read and change the details of one kind of record. */
function detailsRoutes<M extends AnyModel, Row extends object, F extends DetailFields>(
  of: DetailsRoutes<M, Row, F>,
): Route[] {
  const { kind, details, one, tag, what, check, example } = of;
  const path = `/api/${kind.table}/{id}/details`;
  const both = [kind, details] as const;
  return [
    route<unknown, { includeDeleted: boolean }>({
      operationId: `get${one}Details`,
      method: 'GET',
      path,
      scope: 'read',
      tag,
      summary: `Get the details of the ${kind.name}: ${what}`,
      query: getQuery,
      example: { path: { id: example.id } },
      success: { headers: ['ETag'], status: 200, description: 'The details', schema: details.present.schema },
      handle: async ({ services, companyId, id, query }) => {
        const found = await readDetails(services.sql, companyId, both, id, query);
        return ok(details.present(found.details), { ETag: kind.tagOf(found.record) });
      },
    }),
    route<ChangesOf<F>>({
      operationId: `update${one}Details`,
      method: 'PUT',
      path,
      scope: 'write',
      tag,
      summary: `Change the details of the ${kind.name}: only supplied fields change`,
      body: details.body,
      example: { path: { id: example.id }, body: example.changes },
      ...(check && { check }),
      success: { headers: ['ETag'], status: 200, description: 'The changed details', schema: details.present.schema },
      failures: { 409: 'The external id is already used.', 412: '`If-Match` does not match.' },
      handle: (call) =>
        call.inUnitOfWork(async (uow) => {
          const changed = await changeDetails(uow, both, call.id, call.body, call.preconditions.ifMatch);
          return ok(details.present(changed.details), { ETag: kind.tagOf(changed.record) });
        }),
    }),
  ];
}

/** Operations on the details of invoices and expenses. */
export const detailRoutes: Route[] = [
  ...detailsRoutes({
    kind: invoiceKind,
    details: invoiceDetails,
    one: 'Invoice',
    tag: 'Invoices',
    what: 'what callers keep with it, and what is printed beside its fields',
    example: { id: 3, changes: { purchaseOrder: 'PO-4711', metadata: { project: 'P-17' } } },
    check: (changes) => checkDetails(changes as InvoiceDetailsInput),
  }),
  ...detailsRoutes({
    kind: expenseKind,
    details: expenseDetails,
    one: 'Expense',
    tag: 'Expenses',
    what: 'what callers keep with it',
    example: { id: 2, changes: { externalId: 'hosting-2026', metadata: { project: 'P-17' } } },
  }),
];
