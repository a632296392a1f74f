import { clients } from './clients';
import { expenses } from './expenses';
import type { ImportKind } from './ImportKind';
import type { ImportType } from './statuses';

/** Imports: files of clients and expenses whose rows become records. */
export { readImportFile, removeImportFile, removeOldImports } from './importFiles';
export { type ImportKind } from './ImportKind';
export { importRecords } from './importRecords';
export { countImported, endImport, type ImportState, type RowProblems, startImport } from './progress';
export { countRows, type ImportRow, readRows } from './readRows';
export {
  getImport,
  importBatches,
  importErrorBatches,
  importErrorsQuery,
  importsQuery,
  type ImportsRequest,
  listImportErrors,
  listImports,
  presentImport,
  presentImportError,
} from './record';
export { putImportFile, requestImport } from './requestImport';
export { type ImportType, importTypes } from './statuses';

/** The kinds of files by the type that a request names. */
export const importKinds = { clients, expenses } as Readonly<Record<ImportType, ImportKind>>;
