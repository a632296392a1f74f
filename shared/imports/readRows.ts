import type { SchemaObject } from 'ajv';
import { BrokenCsv, type CsvRecord, readCsv, unguardFormula } from '../engine/csv';
import { type FieldProblem, ValidationFailed } from '../engine/errors';
import { knownHint } from '../engine/schemas';
import type { ImportKind, RowFields } from './ImportKind';

/** Rows of one file. */
const MOST_ROWS = 50_000;
const MOST_COLUMNS = 100;

/** One row of a file. */
export interface ImportRow {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  readonly fields: RowFields;
  /** Problems of the row as a whole. */
  readonly problems: readonly FieldProblem[];
}

type Pieces = AsyncIterable<Buffer | string>;

/**
 * Reads a whole file as a stream. Returns the number of its rows. `breathe` lets other work run between a thousand of them.
 * @throws {ValidationFailed} at `field` for a file that is not CSV in UTF-8, has unknown columns, lacks a required one, or has more than
 * {@link MOST_ROWS} rows. The message names the line.
 */
export async function countRows(
  kind: ImportKind,
  pieces: Pieces,
  field: string,
  breathe: () => Promise<void>,
): Promise<number> {
  let rows = 0;
  try {
    for await (const some of readRows(kind, pieces)) {
      const over = some[MOST_ROWS - rows];
      if (over !== undefined) throw new BrokenCsv(over.line, `is row ${MOST_ROWS + 1}: a file can have ${MOST_ROWS}`);
      rows += some.length;
      await breathe();
    }
  } catch (error) {
    throw error instanceof BrokenCsv ? ValidationFailed.at(field, `cannot be read: ${error.message}`) : error;
  }
  return rows;
}

/** Reads the rows of a file as a stream, after the first `skipped`. @throws {BrokenCsv} */
export async function* readRows(kind: ImportKind, pieces: Pieces, skipped = 0): AsyncGenerator<ImportRow[]> {
  let skip = skipped;
  let columns: Column[] | null = null;
  for await (const records of readCsv(pieces)) {
    const first = columns === null ? records.shift() : undefined;
    if (first !== undefined) columns = readColumns(kind, first);
    const named = columns;
    const left = records.slice(skip);
    skip -= records.length - left.length;
    if (named !== null) yield left.map((record) => readRow(named, record));
  }
  if (columns === null) throw new BrokenCsv(1, 'must have the names of the columns');
}

interface Column {
  readonly name: string;
  readonly schema: SchemaObject;
}

function readColumns({ columns, needed }: ImportKind, { line, cells }: CsvRecord): Column[] {
  if (cells.length > MOST_COLUMNS)
    throw new BrokenCsv(line, `has ${cells.length} columns: a file can have ${MOST_COLUMNS}`);
  const names = cells.map((cell) => cell.trim());
  const known = Object.keys(columns).filter((name) => columns[name]?.readOnly !== true);
  for (const [at, name] of names.entries()) {
    if (!Object.hasOwn(columns, name)) {
      throw new BrokenCsv(line, `names a column "${name.slice(0, 100)}" that is not known. ${knownHint(known, name)}`);
    }
    if (names.indexOf(name) < at) throw new BrokenCsv(line, `names the column ${name} twice`);
  }
  const missing = needed.find((some) => !some.some((name) => names.includes(name)));
  if (missing !== undefined) throw new BrokenCsv(line, `must name a column ${missing.join(' or ')}`);
  return names.map((name) => ({ name, schema: columns[name] as SchemaObject }));
}

function readRow(columns: readonly Column[], { line, cells }: CsvRecord): ImportRow {
  const fields: RowFields = {};
  for (const [at, { name, schema }] of columns.entries()) {
    const cell = cells[at] ?? '';
    if (cell !== '' && schema.readOnly !== true) fields[name] = valueOf(schema, cell);
  }
  if (cells.length === columns.length) return { line, fields, problems: [] };
  const message = `has ${cells.length} cells where the first line has ${columns.length}`;
  return { line, fields, problems: [{ path: 'row', message }] };
}

/** Converts a cell to the type of its column. A cell of another form stays text, which the schema refuses. */
function valueOf({ type }: SchemaObject, cell: string): unknown {
  const types = [type].flat() as unknown[];
  if (types.includes('number') || types.includes('integer'))
    return /^-?\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (types.includes('boolean') && (cell === 'true' || cell === 'false')) return cell === 'true';
  return unguardFormula(cell);
}
