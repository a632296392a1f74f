import { createReadStream } from 'node:fs';
import { mapEach, mapPage } from '../../shared/engine/records';
import { cursorListOf, oneOf } from '../../shared/engine/schemas';
import {
  countRows,
  getImport,
  importBatches,
  importErrorBatches,
  importErrorsQuery,
  importKinds,
  importsQuery,
  type ImportsRequest,
  type ImportType,
  importTypes,
  listImportErrors,
  listImports,
  presentImport,
  presentImportError,
  putImportFile,
  requestImport,
} from '../../shared/imports';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';

const tag = 'Imports';
const path = '/api/imports';
const MAX_BYTES = 10 * 1024 * 1024;

/** The fields of the form, without the file. */
const fields = {
  type: 'object',
  required: ['type'],
  properties: {
    type: oneOf('ImportType', importTypes),
    dryRun: { type: 'boolean', default: false, description: 'Checks every row and creates nothing.' },
  },
};

export const importRoutes: Route[] = [
  route<{ type: ImportType; dryRun: boolean }>({
    operationId: 'createImport',
    method: 'POST',
    path,
    scope: 'write',
    tag,
    summary: 'Import clients or expenses from a CSV file: each row becomes a record, as if it had been posted',
    upload: { field: 'file', maxBytes: MAX_BYTES, fields },
    example: { body: { type: 'expenses', file: 'expenses.csv' } },
    failures: { 409: '`limit_reached`: too many imports of the company are not done, or its files take too much.' },
    success: {
      headers: ['Location'],
      status: 202,
      description: 'The file can be read; its rows are imported one after the other',
      schema: presentImport.schema,
    },
    handle: async (call) => {
      const { services, upload, turn } = call;
      const { type, dryRun } = call.body;
      const { imports: most } = services.config.stored;
      const breathe = (): Promise<void> => turn.meter.breathe();
      const pieces = breathing(breathe, createReadStream(upload.path));
      const rowCount = await countRows(importKinds[type], pieces, upload.field, breathe);
      const fileId = await putImportFile(services, call, upload);
      return call.inUnitOfWork(async (uow) => {
        const requested = await requestImport(uow, { type, dryRun, fileId, rowCount }, most);
        return { status: 202, body: presentImport(requested), headers: { Location: `${path}/${requested.id}` } };
      });
    },
  }),
  route<unknown, ImportsRequest>({
    operationId: 'listImports',
    method: 'GET',
    path,
    scope: 'read',
    tag,
    summary: 'List imports, the newest first',
    query: importsQuery,
    success: { status: 200, description: 'A page of imports', schema: cursorListOf(presentImport.schema) },
    handle: async ({ services, companyId, query }) =>
      ok(mapPage(await listImports(services.sql, companyId, query), presentImport)),
    csv: {
      kind: 'imports',
      row: presentImport.schema,
      batches: ({ services, companyId, query }) =>
        mapEach(importBatches(services.sql, companyId, query), (rows) => rows.map(presentImport)),
    },
  }),
  route({
    operationId: 'getImport',
    method: 'GET',
    path: `${path}/{id}`,
    scope: 'read',
    tag,
    summary: 'Get an import: how many of its rows are done, and what became of them',
    success: { status: 200, description: 'The import', schema: presentImport.schema },
    handle: async ({ services, companyId, id }) => ok(presentImport(await getImport(services.sql, companyId, id))),
  }),
  route<unknown, ImportsRequest>({
    operationId: 'listImportErrors',
    method: 'GET',
    path: `${path}/{id}/errors`,
    scope: 'read',
    tag,
    summary: 'List what is wrong with rows of an import: the first 1,000 errors, in the order of the file',
    query: importErrorsQuery,
    success: { status: 200, description: 'A page of errors', schema: cursorListOf(presentImportError.schema) },
    handle: async ({ services, companyId, id, query }) =>
      ok(mapPage(await listImportErrors(services.sql, companyId, id, query), presentImportError)),
    csv: {
      kind: 'import-errors',
      row: presentImportError.schema,
      batches: ({ services, companyId, id, query }) =>
        mapEach(importErrorBatches(services.sql, companyId, id, query), (rows) => rows.map(presentImportError)),
    },
  }),
];

/** Yields to the event loop between pieces, so that other requests run. The time of each piece is charged to this request. */
async function* breathing(breathe: () => Promise<void>, pieces: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    await breathe();
    yield piece as Buffer;
  }
}
