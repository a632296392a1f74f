import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWork } from '../../shared/engine/db';
import { AppError, ValidationFailed } from '../../shared/engine/errors';
import {
  countImported,
  endImport,
  importKinds,
  importRecords as contract,
  type ImportKind,
  type ImportRow,
  type ImportState,
  readImportFile,
  readRows,
  removeImportFile,
  type RowProblems,
  startImport,
} from '../../shared/imports';
import { type JobHandler, type JobRun, LeaseLost, snoozeFor } from '../jobs/JobRun';

/** Rows of one transaction. */
const CHUNK = 100;
/** After this long another company has its turn. */
const TURN_MS = 1_000;
/** After checking rows for this long, the event loop runs other work. */
const CHECKING_MS = 5;
/** After reading rows the import pauses this many times as long: many short cells take long, and each run reads the whole file. */
const PAUSE_TIMES = 2;

type Run = JobRun<typeof contract>;
type Counts = Pick<ImportState, 'created' | 'unchanged' | 'failed'>;

/** A row with a checked request. */
interface Checked {
  readonly line: number;
  readonly externalId: string | null;
  readonly input: unknown;
  readonly problems: RowProblems['problems'];
}

/** Rolls back a chunk of a dry run after all of its records were created. */
class DryRunEnds extends Error {
  constructor(readonly created: number) {
    super('a dry run creates nothing');
  }
}

/** Imports the rows of a file in order. Each transaction creates a chunk and updates the counts. */
export const importRecords: JobHandler<typeof contract> = {
  contract,

  async run(run) {
    const { services } = run.tools;
    const { files, clock, sql } = services;
    const state = await run.perform((uow) => startImport(uow, run.payload.importId));
    const kind = importKinds[state.type];
    const check = checking(kind, kind.references?.(sql, run.companyId));
    let until = Infinity;
    const endTurn = (): void => {
      if (positionOf(state) === state.rowCount) return;
      if (run.signal.aborted || performance.now() > until) throw snoozeFor(0, clock);
    };
    for await (const rows of chunksOf(run, kind, state, readImportFile(files, state.fileKey))) {
      if (until === Infinity) until = performance.now() + TURN_MS;
      const checked: Checked[] = [];
      let since = performance.now();
      for (const row of rows) {
        checked.push(await check(row));
        const checkedMs = performance.now() - since;
        if (checkedMs < CHECKING_MS) continue;
        run.charge(checkedMs);
        await setImmediate();
        since = performance.now();
      }
      await importRows(run, kind, state, checked, endTurn);
    }
    const finished = await run.finish((uow) => endImport(uow, state.id, 'done'));
    await removeImportFileOf(run, state);
    return finished;
  },

  async failed(uow, { importId }, error) {
    const message = `the import ended early: ${error instanceof AppError ? error.message : 'an error of the service'}`;
    await endImport(uow, importId, 'failed', [{ line: 1, problems: [{ path: 'file', message }] }]);
    return error;
  },
};

/** The number of imported rows. */
const positionOf = ({ created, unchanged, failed }: ImportState): number => created + unchanged + failed;

/** Returns the remaining rows in chunks. Reading is charged, also that of rows which an earlier run has imported. */
async function* chunksOf(
  run: Run,
  kind: ImportKind,
  state: ImportState,
  file: AsyncIterable<Buffer | string>,
): AsyncGenerator<ImportRow[]> {
  let since = 0;
  const arriving = async function* (): AsyncGenerator<Buffer | string> {
    for await (const piece of file) {
      since = performance.now();
      yield piece;
    }
  };
  let chunk: ImportRow[] = [];
  for await (const rows of readRows(kind, arriving(), positionOf(state))) {
    const readMs = performance.now() - since;
    run.charge(readMs);
    await sleep(PAUSE_TIMES * readMs);
    if (run.signal.aborted) throw snoozeFor(0, run.tools.services.clock);
    chunk.push(...rows);
    for (; chunk.length >= CHUNK; chunk = chunk.slice(CHUNK)) yield chunk.slice(0, CHUNK);
    since = performance.now();
  }
  if (chunk.length > 0) yield chunk;
}

function checking(
  kind: ImportKind,
  findReferences: ReturnType<NonNullable<ImportKind['references']>> | undefined,
): (row: ImportRow) => Promise<Checked> {
  return async ({ line, fields, problems: ofRow }) => {
    const externalId = typeof fields.externalId === 'string' ? fields.externalId : null;
    if (ofRow.length > 0) return { line, externalId, input: null, problems: ofRow };
    const problems = (await findReferences?.(fields)) ?? [];
    try {
      return { line, externalId, input: kind.toInput(fields), problems };
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      return { line, externalId, input: null, problems: [...problems, ...error.problems] };
    }
  };
}

/**
 * Imports rows in one transaction. If one of them is refused, each half gets a transaction of its own.
 * @param endTurn called after each transaction that counted rows
 */
async function importRows(
  run: Run,
  kind: ImportKind,
  state: ImportState,
  rows: readonly Checked[],
  endTurn: () => void,
): Promise<void> {
  const wrong = rows.filter(({ problems }) => problems.length > 0);
  const right = rows.filter(({ problems }) => problems.length === 0);
  const count = async (uow: UnitOfWork, created: number, failed: readonly RowProblems[] = wrong): Promise<Counts> => {
    const counts = { created, unchanged: rows.length - created - failed.length, failed: failed.length };
    if (!(await countImported(uow, state.id, positionOf(state), counts, failed))) throw new LeaseLost();
    return counts;
  };
  const record = async (): Promise<Counts> => {
    try {
      return await run.perform(async (uow) => {
        const created = await createNew(uow, kind, right);
        if (state.dryRun === 1) throw new DryRunEnds(created);
        return count(uow, created);
      });
    } catch (error) {
      if (error instanceof DryRunEnds) return run.perform((uow) => count(uow, error.created));
      const [only, second] = rows;
      if (!isRefusal(error) || only === undefined || second !== undefined) throw error;
      return run.perform((uow) => count(uow, 0, [{ line: only.line, problems: problemsOf(error) }]));
    }
  };
  try {
    const { created, unchanged, failed } = await record();
    state.created += created;
    state.unchanged += unchanged;
    state.failed += failed;
  } catch (error) {
    if (!isRefusal(error) || rows.length === 1) throw error;
    const half = Math.ceil(rows.length / 2);
    for (const part of [rows.slice(0, half), rows.slice(half)]) await importRows(run, kind, state, part, endTurn);
    return;
  }
  endTurn();
}

/** Creates the records that are new, and returns how many. A row whose external id exists counts as unchanged. */
async function createNew(uow: UnitOfWork, kind: ImportKind, rows: readonly Checked[]): Promise<number> {
  const given = rows.flatMap(({ externalId }) => (externalId === null ? [] : [externalId]));
  const known = new Set(await kind.known(uow.sql, uow.companyId, given));
  const inputs: unknown[] = [];
  for (const { externalId, input } of rows) {
    if (externalId !== null && known.has(externalId)) continue;
    if (externalId !== null) known.add(externalId);
    inputs.push(input);
  }
  if (inputs.length > 0) await kind.create(uow, inputs);
  return inputs.length;
}

/** A retry would be refused too. */
const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !error.retryable && error.status >= 400 && error.status < 500;

function problemsOf(error: AppError): RowProblems['problems'] {
  if (error instanceof ValidationFailed) return error.problems;
  return [{ path: error.code === 'external_id_taken' ? 'externalId' : 'row', message: error.message }];
}

/** If this fails, the clean-up removes the file. */
async function removeImportFileOf({ tools, companyId, job }: Run, { fileId }: ImportState): Promise<void> {
  const { services } = tools;
  const scope = { companyId, actor: `job:${job.name}` };
  try {
    await services.perform(scope, (uow) => removeImportFile(services.files, uow, fileId));
  } catch (error) {
    services.log.warn({ err: error }, 'the file of an import could not be removed; the clean-up retries it');
  }
}
