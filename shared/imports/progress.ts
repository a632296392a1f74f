import { insertRows, toSqlTime, type UnitOfWork } from '../engine/db';
import { type FieldProblem, NotFound } from '../engine/errors';
import type { ImportCounts } from './importRecords';
import type { ImportType } from './statuses';

/** The most errors of one import that are kept. */
const MOST_ERRORS = 1_000;
const MOST_CHARACTERS = 500;

/** The progress of an import, for its job. */
export interface ImportState extends ImportCounts {
  id: number;
  type: ImportType;
  dryRun: 0 | 1;
  rowCount: number;
  fileId: number;
  fileKey: string | null;
}

/** The problems of one row. */
export interface RowProblems {
  readonly line: number;
  readonly problems: readonly FieldProblem[];
}

/** Reads an import, and marks it as running. @throws {NotFound} */
export async function startImport({ sql, companyId, now }: UnitOfWork, importId: number): Promise<ImportState> {
  const [found] = await sql.rows<ImportState>(
    `SELECT i.id, i.type, i.dryRun, i.rowCount, i.created, i.unchanged, i.failed, i.fileId, f.fileKey
       FROM imports i LEFT JOIN stored_files f ON f.companyId = i.companyId AND f.id = i.fileId
      WHERE i.companyId = ? AND i.id = ?`,
    [companyId, importId],
  );
  if (found === undefined) throw new NotFound('import');
  await sql.run("UPDATE imports SET status = 'running', endedAt = NULL, updatedAt = ? WHERE companyId = ? AND id = ?", [
    toSqlTime(now),
    companyId,
    importId,
  ]);
  return found;
}

/**
 * Counts rows of an import in the transaction that creates their records, so that a crash loses none and no other run imports them again.
 * `before` is the count when the rows were read. Returns false if it has changed: then the caller must roll back.
 */
export async function countImported(
  uow: UnitOfWork,
  importId: number,
  before: number,
  { created, unchanged, failed }: ImportCounts,
  wrong: readonly RowProblems[],
): Promise<boolean> {
  const { sql, companyId, now } = uow;
  await keepErrors(uow, importId, wrong);
  const { affectedRows } = await sql.run(
    `UPDATE imports SET created = created + ?, unchanged = unchanged + ?, failed = failed + ?, updatedAt = ?
      WHERE companyId = ? AND id = ? AND created + unchanged + failed = ?`,
    [created, unchanged, failed, toSqlTime(now), companyId, importId, before],
  );
  return affectedRows === 1;
}

/** Ends an import. One whose job failed gets an error without a row. */
export async function endImport(
  uow: UnitOfWork,
  importId: number,
  status: 'done' | 'failed',
  wrong: readonly RowProblems[] = [],
): Promise<ImportCounts> {
  const { sql, companyId, now } = uow;
  await keepErrors(uow, importId, wrong);
  const time = toSqlTime(now);
  await sql.run('UPDATE imports SET status = ?, endedAt = ?, updatedAt = ? WHERE companyId = ? AND id = ?', [
    status,
    time,
    time,
    companyId,
    importId,
  ]);
  const [counts] = await sql.rows<ImportCounts>(
    'SELECT created, unchanged, failed FROM imports WHERE companyId = ? AND id = ?',
    [companyId, importId],
  );
  return counts as ImportCounts;
}

async function keepErrors(
  { sql, companyId }: UnitOfWork,
  importId: number,
  wrong: readonly RowProblems[],
): Promise<void> {
  if (wrong.length === 0) return;
  const [kept] = await sql.rows<{ count: number }>(
    'SELECT COUNT(*) AS count FROM import_errors WHERE companyId = ? AND importId = ?',
    [companyId, importId],
  );
  const rows = wrong.flatMap(({ line, problems }) =>
    problems.map(({ path, message }) => {
      return { companyId, importId, line, field: path.slice(0, 100), message: message.slice(0, MOST_CHARACTERS) };
    }),
  );
  await insertRows(sql, 'import_errors', rows.slice(0, Math.max(0, MOST_ERRORS - (kept?.count ?? 0))));
}
