import {
  listTimeline,
  presentTimelineEntry,
  timelineEntry,
  type TimelineKind,
  timelineQuery,
  type TimelineRequest,
} from '../../shared/timeline';
import { mapPage } from '../../shared/engine/records';
import { listOf } from '../../shared/engine/schemas';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

function timelineRoute(operationId: string, kind: TimelineKind, tag: Route['tag'], exampleId: number): Route {
  return route<unknown, TimelineRequest>({
    operationId,
    method: 'GET',
    path: `/api/${kind.table}/{id}/timeline`,
    scope: 'read',
    tag,
    summary: `List everything that happened to the ${kind.name}, the oldest first`,
    query: timelineQuery,
    example: { path: { id: exampleId } },
    success: { status: 200, description: 'A page of its timeline', schema: listOf(timelineEntry) },
    handle: async ({ services, companyId, id, query }) =>
      ok(mapPage(await listTimeline(services.sql, companyId, kind, id, query), presentTimelineEntry)),
  });
}

/** The same operation for both kinds of record that have a timeline. */
export const timelineRoutes: Route[] = [
  timelineRoute('listInvoiceTimeline', { name: 'invoice', table: 'invoices' }, 'Invoices', 3),
  timelineRoute('listExpenseTimeline', { name: 'expense', table: 'expenses' }, 'Expenses', 2),
];
