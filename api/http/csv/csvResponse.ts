import { dayIn } from '../../../shared/dates/dates';
import { getCompany } from '../../../shared/companies';
import { shortened } from '../../../shared/documents';
import { contentDisposition } from '../contentDisposition';
import type { ReadOfExport } from '../limits/Exports';
import type { Call } from '../routing/Call';
import type { Route } from '../routing/Route';
import type { RouteResponse } from '../routing/RouteResponse';
import type { CsvQuery, CsvTable } from './CsvTable';
import { csvText } from './csvText';

/** Characters of the company's name in the name of the file. */
const MAX_NAME = 60;

/**
 * Responds with CSV. The first rows of a route with batches are read before the response begins, so that their failure is one with a
 * status; a later one cuts the connection.
 * @param begin called before batches are read @throws {ValidationFailed} at `columns`; what the route throws.
 */
export async function csvResponse(
  route: Route,
  table: CsvTable,
  call: Call,
  begin: () => ReadOfExport,
): Promise<RouteResponse> {
  const { csv } = route;
  if (csv === undefined) throw new Error(`${route.operationId} has no CSV`);
  const query: CsvQuery = {
    ...(csv.columns && { columns: csv.columns(call.query).join() }),
    ...(call.query as CsvQuery),
  };
  const rows = table.choose(query);
  const headers = { 'Content-Disposition': contentDisposition(await fileName(call, csv.kind)) };
  const batches =
    csv.batches === undefined ? dataOf(await route.handle(call)) : await begun(csv.batches(call), begin());
  const chunks = csvText(rows, batches, query.bom === true);
  return { status: 200, headers, text: { contentType: 'text/csv; charset=utf-8; header=present', chunks } };
}

/** `Acme-invoices-2026-01-31.csv`, by the company's day. */
async function fileName({ services: { sql, clock }, companyId }: Call, kind: string): Promise<string> {
  const { name, timezone } = await getCompany(sql, companyId);
  return [...(name === '' ? [] : [shortened(name, MAX_NAME)]), kind, `${dayIn(timezone, clock.now())}.csv`].join('-');
}

/** The rows of a response that JSON has as a whole. */
async function* dataOf({ body }: RouteResponse): AsyncGenerator<readonly object[]> {
  yield await Promise.resolve((body as { data: object[] }).data);
}

/** Reads the first batch, and returns all of them. */
async function begun(
  batches: AsyncIterable<readonly object[]>,
  read: ReadOfExport,
): Promise<AsyncIterable<readonly object[]>> {
  const each = batches[Symbol.asyncIterator]();
  const first = await read(() => each.next());
  return (async function* all() {
    for (let next = first; next.done !== true; next = await read(() => each.next())) yield next.value;
  })();
}
