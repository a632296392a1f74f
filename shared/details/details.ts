import type { SchemaObject } from 'ajv';
import type { Model } from 'sequelize';
import {
  insertRow,
  insertRows,
  isDuplicate,
  padded,
  placeholders,
  type Sql,
  type SqlValue,
  type UnitOfWork,
} from '../engine/db';
import { Conflict, ValidationFailed } from '../engine/errors';
import {
  changeRecord,
  type ChangesOf,
  describeRecord,
  type Fields,
  type Filter,
  type Presenter,
  presenter,
  readRecord,
  type RecordKind,
  type RowOf,
} from '../engine/records';
import { line } from '../engine/schemas';
import { changedMetadata, type commonDetails, type MetadataChanges, MOST_KEYS } from './fields';

export type DetailFields = Fields & typeof commonDetails;
type Columns = Record<string, string | null> & { metadata: string };
/** `externalId`: of a record whose events say it. */
type AnyModel = Model & { id: number; updatedAt: Date; softDelete: boolean; externalId?: string | null };

/** The details of one kind of record. A record without a row in `table` has the initial values. */
export interface Details<F extends DetailFields> {
  readonly table: string;
  /** The column that refers to the record. */
  readonly owner: string;
  readonly names: readonly string[];
  readonly initially: Columns;
  /** The body of a PUT, and of `details` in the body of a create. */
  readonly body: SchemaObject;
  readonly present: Presenter<RowOf<F>>;
  toColumns(changes: ChangesOf<F>): object;
}

/** Describes the details of one kind of record. @param title `InvoiceDetails` */
export function describeDetails<const F extends DetailFields>(
  title: string,
  { table, owner }: { table: string; owner: string },
  fields: F,
): Details<F> {
  const described = describeRecord(title, fields);
  const { changesBody, changeable } = described;
  const initially = Object.fromEntries(changeable.map((name) => [name, fields[name]?.initially as string | null]));
  return {
    ...{ table, owner, names: changeable, initially: initially as Columns, body: changesBody },
    toColumns: (changes) => described.toColumns(changes),
    present: presenter(fields, { title }),
  };
}

/** Returns which of the external ids a table has in a company. Their column is binary. */
export async function knownExternalIds(
  sql: Sql,
  companyId: number,
  table: string,
  externalIds: readonly string[],
): Promise<string[]> {
  if (externalIds.length === 0) return [];
  const sought = padded(externalIds);
  const rows = await sql.rows<{ externalId: string }>(
    `SELECT CONVERT(externalId USING utf8mb4) AS externalId FROM ${table}
      WHERE companyId = ? AND externalId IN (${placeholders(sought.length)})`,
    [companyId, ...sought],
  );
  return rows.map(({ externalId }) => externalId);
}

/** Records whose `externalId` is the value of the parameter: found by the unique key. */
export function byExternalId({ table, owner }: { table: string; owner: string }): Filter {
  return {
    schema: line(100, 1),
    condition: (value, alias) => ({
      text: `${alias}.id IN (SELECT d.${owner} FROM ${table} d WHERE d.companyId = ${alias}.companyId AND d.externalId = ?)`,
      values: [value],
    }),
  };
}

/** Details as they are shown, with the record that they belong to. */
export interface DetailsOf<Row, F extends DetailFields> {
  record: Row;
  details: RowOf<F>;
}

/**
 * Reads the details of a record. The record is read first, so that its entity tag is never newer than they are.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function readDetails<M extends AnyModel, Row extends object, F extends DetailFields>(
  sql: Sql,
  companyId: number,
  [kind, details]: readonly [RecordKind<M, Row>, Details<F>],
  id: number,
  options?: { includeDeleted?: boolean },
): Promise<DetailsOf<Row, F>> {
  const record = await readRecord(sql, companyId, kind, id, options);
  const columns = (await findDetails(sql, companyId, details, id)) ?? details.initially;
  return { record, details: columns as RowOf<F> };
}

/**
 * Changes the details that are given. `updatedAt` of the record grows, and its `….updated` event names what changed, without the
 * values.
 * @throws {NotFound}; {@link PreconditionFailed}; {@link ValidationFailed} for too many keys of metadata; {@link Conflict}
 * `external_id_taken`; in this order.
 */
export async function changeDetails<M extends AnyModel, Row extends object, F extends DetailFields>(
  uow: UnitOfWork,
  [kind, details]: readonly [RecordKind<M, Row>, Details<F>],
  id: number,
  changes: ChangesOf<F>,
  ifMatch: string | null,
): Promise<DetailsOf<Row, F>> {
  const replaced: string[] = [];
  let columns = details.initially;
  const record = await changeRecord(uow, kind, id, {
    ifMatch,
    replaced,
    async apply(owner) {
      const found = await findDetails(uow.sql, uow.companyId, details, id);
      const before = found ?? details.initially;
      columns = columnsAfter(details, before, changes, 'metadata');
      replaced.push(...details.names.filter((name) => columns[name] !== before[name]));
      await writeDetails(uow, details, id, columns, found !== null);
      owner.externalId = columns['externalId'] ?? null;
    },
  });
  return { record, details: columns as RowOf<F> };
}

/**
 * Writes the details that new records were given, in few statements; undefined for none.
 * @throws {ValidationFailed} for too many keys of metadata; {@link Conflict} `external_id_taken`.
 */
export async function insertDetails<F extends DetailFields>(
  { sql, companyId }: UnitOfWork,
  details: Details<F>,
  records: readonly { id: number; given: ChangesOf<F> | undefined }[],
): Promise<void> {
  const rows = records.flatMap(({ id, given }) => {
    if (given === undefined) return [];
    return [{ companyId, [details.owner]: id, ...columnsAfter(details, details.initially, given, 'details/metadata') }];
  });
  await refuseDuplicateId(rows, () => insertRows(sql, details.table, rows));
}

/** Gives new occurrences what their series have of the details `copied`, in one statement. */
export async function copyDetails(
  { sql, companyId }: UnitOfWork,
  { table, owner }: { table: string; owner: string },
  records: 'invoices' | 'expenses',
  ids: readonly number[],
  copied: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql.run(
    `INSERT INTO ${table} (companyId, ${owner}, ${copied.join(', ')})
     SELECT r.companyId, r.id, ${copied.map((name) => `d.${name}`).join(', ')} FROM ${records} r
       JOIN ${table} d ON d.companyId = r.companyId AND d.${owner} = r.seriesId
      WHERE r.companyId = ? AND r.id IN (${placeholders(ids.length)})`,
    [companyId, ...ids],
  );
}

function columnsAfter<F extends DetailFields>(
  details: Details<F>,
  before: Columns,
  changes: ChangesOf<F>,
  path: string,
): Columns {
  const known = JSON.parse(before.metadata) as Record<string, string>;
  const metadata = changedMetadata(known, (changes as { metadata?: MetadataChanges }).metadata ?? {});
  if (Object.keys(metadata).length > MOST_KEYS) {
    throw ValidationFailed.at(path, `must have at most ${MOST_KEYS} keys`);
  }
  return { ...before, ...(details.toColumns(changes) as Columns), metadata: JSON.stringify(metadata) };
}

async function findDetails<F extends DetailFields>(
  sql: Sql,
  companyId: number,
  { table, owner, names }: Details<F>,
  id: number,
): Promise<Columns | null> {
  // Its column is binary, so that it is compared byte for byte.
  const column = (name: string): string =>
    name === 'externalId' ? 'CONVERT(externalId USING utf8mb4) AS externalId' : name;
  const [row] = await sql.rows<Columns>(
    `SELECT ${names.map(column).join(', ')} FROM ${table} WHERE companyId = ? AND ${owner} = ?`,
    [companyId, id],
  );
  return row === undefined ? null : { ...row };
}

/** The record is locked, or new: nothing else writes its details meanwhile. */
async function writeDetails(
  { sql, companyId }: UnitOfWork,
  { table, owner, names }: Pick<Details<DetailFields>, 'table' | 'owner' | 'names'>,
  id: number,
  columns: Columns,
  exists: boolean,
): Promise<void> {
  await refuseDuplicateId([columns], async () => {
    if (!exists) {
      await insertRow(sql, table, { companyId, [owner]: id, ...columns });
      return;
    }
    const values: SqlValue[] = names.map((name) => columns[name] ?? null);
    await sql.run(
      `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE companyId = ? AND ${owner} = ?`,
      [...values, companyId, id],
    );
  });
}

/** Runs what writes rows. @throws {Conflict} `external_id_taken` when the database refuses one as a duplicate. */
export async function refuseDuplicateId<T>(
  rows: readonly Readonly<Record<string, unknown>>[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const ids = rows.map(({ externalId }) => `"${String(externalId)}"`);
    throw new Conflict('external_id_taken', `external id ${ids.join(' or ')} is already used`);
  }
}
