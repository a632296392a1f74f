import type { SchemaObject } from 'ajv';
import type { Sql, UnitOfWork } from '../engine/db';
import type { FieldProblem } from '../engine/errors';

/** The non-empty cells of one row, as values of their columns' types. */
export type RowFields = Record<string, unknown> & { externalId?: unknown };

/** A kind of file: its columns, and how a row is checked and created. */
export interface ImportKind<Input = unknown> {
  /** The schema of each column. Those whose schema is `readOnly` are left out, as in a request. */
  readonly columns: Readonly<Record<string, SchemaObject>>;
  /** A file has at least one column of each of these groups. */
  readonly needed: readonly (readonly string[])[];
  /** Returns a function that looks up the records that a row refers to, sets their ids in the row, and returns the missing ones. */
  references?(sql: Sql, companyId: number): (fields: RowFields) => Promise<readonly FieldProblem[]>;
  /** Returns the request that the row makes. @throws {ValidationFailed} */
  toInput(fields: RowFields): Input;
  /** Returns those external ids that records of the company have already. */
  known(sql: Sql, companyId: number, externalIds: readonly string[]): Promise<readonly string[]>;
  /** Creates the records. @throws {AppError} when one is refused. */
  create(uow: UnitOfWork, inputs: readonly Input[]): Promise<unknown>;
}

/** Returns a column for each property of a request's body. */
export function columnsOf({ properties }: SchemaObject): Record<string, SchemaObject> {
  return { ...(properties as Record<string, SchemaObject>) };
}
