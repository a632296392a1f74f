import { type Report, reports, reportSql } from '../../shared/reports';
import { named, responseBody } from '../../shared/engine/schemas';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

function reportRoute<Query>(
  title: string,
  { name, summary, query, rows, beside = {}, read }: Report<Query>,
  example: Partial<Record<keyof Query, string>>,
): Route {
  return route<unknown, Query>({
    operationId: `get${title}Report`,
    method: 'GET',
    path: `/api/reports/${name}`,
    scope: 'read',
    tag: 'Reports',
    summary,
    query: { type: 'object', properties: query },
    example: { query: example as Record<string, string> },
    csv: { kind: name, row: rows.schema, columns: (query) => rows.columns(query as Query) },
    failures: {
      400: 'A query value that is not valid, or `report_too_large`: more than 5,000 rows, or more days than a report has; or `report_too_slow`: it takes more than ten seconds.',
    },
    success: {
      status: 200,
      description: 'The report',
      schema: named(`${title}Report`, responseBody({ data: { type: 'array', items: rows.schema }, ...beside })),
    },
    handle: async ({ services: { sql, clock }, companyId, query, turn: { meter } }) =>
      ok(await read({ sql: reportSql(sql), companyId, now: clock.now(), breathe: () => meter.breathe() }, query)),
  });
}

export const reportRoutes: Route[] = [
  reportRoute('Receivables', reports.Receivables, { groupBy: 'client' }),
  reportRoute('Revenue', reports.Revenue, { from: '2026-01-01', to: '2026-12-31', by: 'month' }),
  reportRoute('Tax', reports.Tax, { from: '2026-01-01', to: '2026-12-31' }),
  reportRoute('Expenses', reports.Expenses, { by: 'category', status: 'approved' }),
  reportRoute('Upcoming', reports.Upcoming, {}),
];
