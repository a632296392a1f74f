import type { Sql } from '../engine/db';
import {
  type AnyPage,
  assigned,
  cursorParameter,
  type CursorRequest,
  flag,
  nullable,
  type PageSource,
  presenter,
  readAnyPage,
  readBatches,
  readRecord,
  type RecordSource,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { oneOf, pageQuery, recordId } from '../engine/schemas';
import { Type } from '@sinclair/typebox';
import { importStatuses, importTypes } from './statuses';

const count = (description: string) =>
  assigned(value(Type.Unsafe<number>({ type: 'integer', minimum: 0, description, examples: [250] })));

const fields = {
  id: assigned(value(recordId)),
  type: assigned(value(oneOf('ImportType', importTypes))),
  status: assigned(value(oneOf('ImportStatus', importStatuses))),
  dryRun: assigned(flag),
  rows: count('Of the file, without the line of names.'),
  created: count('Rows that made a record; in a dry run, those that would.'),
  unchanged: count('Rows whose `externalId` a record has already.'),
  failed: count('Rows with errors.'),
  createdAt: assigned(timestamp),
  endedAt: assigned(nullable(timestamp)),
};

export type ImportRecord = RowOf<typeof fields>;

export const presentImport = presenter(fields, { title: 'Import' });

const errorFields = {
  id: assigned(value(recordId)),
  line: assigned(value(Type.Unsafe<number>({ type: 'integer', minimum: 1, description: 'Of the file, from 1.' }))),
  field: assigned(value(Type.Unsafe<string>({ type: 'string', examples: ['amount'] }))),
  message: assigned(value(Type.Unsafe<string>({ type: 'string', examples: ['must be greater than 0'] }))),
};

type ImportErrorRecord = RowOf<typeof errorFields>;

export const presentImportError = presenter(errorFields, { title: 'ImportError' });

const source: RecordSource<ImportRecord> = {
  name: 'import',
  table: 'imports',
  alias: 'i',
  // ROWS is a reserved word of SQL.
  columns: Object.keys(fields)
    .map((name) => (name === 'rows' ? 'i.rowCount AS `rows`' : `i.${name}`))
    .join(', '),
};

const errorSource: RecordSource<ImportErrorRecord> = {
  name: 'error',
  table: 'import_errors',
  alias: 'r',
  columns: Object.keys(errorFields)
    .map((name) => `r.${name}`)
    .join(', '),
};

/** Ids grow with time, and errors with the lines of their file. */
const sortings = ['id'] as const;
export type ImportsRequest = CursorRequest<(typeof sortings)[number]>;

/** The query parameters of the list of imports. */
export const importsQuery = pageQuery(sortings, 'id', cursorParameter);
/** The query parameters of the list of an import's errors. */
export const importErrorsQuery = {
  ...importsQuery,
  properties: {
    ...(importsQuery.properties as object),
    sortOrder: { type: 'string', enum: ['asc', 'desc'], default: 'asc' },
  },
};

/** @throws {NotFound} when absent or another company's. */
export function getImport(sql: Sql, companyId: number, id: number): Promise<ImportRecord> {
  return readRecord(sql, companyId, source, id);
}

/** Lists a company's imports. */
export function listImports(sql: Sql, companyId: number, request: ImportsRequest): Promise<AnyPage<ImportRecord>> {
  return readAnyPage(sql, companyId, allImports(), request, { list: 'imports', cursorBy: sortings });
}

/** Reads all imports of a company in batches. */
export function importBatches(sql: Sql, companyId: number, request: ImportsRequest): AsyncIterable<ImportRecord[]> {
  return readBatches(sql, companyId, allImports(), request, sortings);
}

/** Lists the errors of an import. @throws {NotFound} when it is absent or another company's. */
export async function listImportErrors(
  sql: Sql,
  companyId: number,
  importId: number,
  request: ImportsRequest,
): Promise<AnyPage<ImportErrorRecord>> {
  await getImport(sql, companyId, importId);
  const list = `imports/${importId}/errors`;
  return readAnyPage(sql, companyId, errorsOf(importId), request, { list, cursorBy: sortings });
}

/** Reads all errors of an import in batches. @throws as {@link listImportErrors}. */
export async function* importErrorBatches(
  sql: Sql,
  companyId: number,
  importId: number,
  request: ImportsRequest,
): AsyncGenerator<ImportErrorRecord[]> {
  await getImport(sql, companyId, importId);
  yield* readBatches(sql, companyId, errorsOf(importId), request, sortings);
}

const allImports = (): PageSource<ImportRecord> => ({ ...source, conditions: [] });

function errorsOf(importId: number): PageSource<ImportErrorRecord> {
  const conditions = [{ text: 'r.importId = ?', values: [importId] }];
  return { ...errorSource, conditions, index: 'import_errors_by_import' };
}
