import type { SchemaObject } from 'ajv';
import type { Sql, UnitOfWork } from '../engine/db';
import type { FieldProblem } from '../engine/errors';

/** The cells of one row that are not empty, as values of their columns' types. */
export type RowFields = Record<string, unknown> & { externalId?: unknown };

/** A kind of file: its columns, and how a row is checked and created. */
export interface ImportKind<Input = unknown> {
  /** The schema of each column. Those whose schema is `readOnly` are left out, as in a request. */
  readonly columns: Readonly<Record<string, SchemaObject>>;
  /** Of each of these, a file has at least one. */
  readonly needed: readonly (readonly string[])[];
  /** Returns what finds the records that a row refers to, puts their ids in, and says which are not there. */
  references?(sql: Sql, companyId: number): (fields: RowFields) => Promise<readonly FieldProblem[]>;
  /** Returns the request that the row makes. @throws {ValidationFailed} */
  toInput(fields: RowFields): Input;
  /** Returns which of the external ids records of the company have. */
  known(sql: Sql, companyId: number, externalIds: readonly string[]): Promise<readonly string[]>;
  /** Creates the records. @throws {AppError} when one is refused. */
  create(uow: UnitOfWork, inputs: readonly Input[]): Promise<unknown>;
}

/** Returns the columns that are the properties of a request's body. */
export function columnsOf({ properties }: SchemaObject): Record<string, SchemaObject> {
  return { ...(properties as Record<string, SchemaObject>) };
}
