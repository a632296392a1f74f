import type { SchemaObject } from 'ajv';
import { named, requestBody } from '../schemas';
import type { ChangesOf, Fields, InputOf, NewColumnsOf, SettableOf } from './fields';

/** Everything derived from the fields of a record, beside its types. */
export interface RecordDescription<F extends Fields> {
  readonly fields: F;
  /** The schemas of request bodies: `NewExpense`, `ExpenseChanges`. */
  readonly newBody: SchemaObject;
  readonly changesBody: SchemaObject;
  /** `e.id, e.companyId, …` for a SELECT. */
  columnsOf(alias: string): string;
  /** Returns the columns of a new record: the request's values, else the initial values of the fields. */
  newColumns(input: InputOf<F>): NewColumnsOf<F>;
  /** Returns the columns that a request sets. */
  toColumns(changes: ChangesOf<F>): Partial<SettableOf<F>>;
  /** The fields that an event names when they change: those that a request can set. */
  readonly changeable: readonly (keyof SettableOf<F> & string)[];
}

/**
 * Describes a record once: types, request schemas and columns follow from its fields.
 * @param title the name of the record in the OpenAPI document
 * @param ignored properties of responses beside the fields; requests may hold them
 * @param further properties of request bodies that are no columns of the record
 * @param ofNew the same, of new records alone; none is required
 */
export function describeRecord<const F extends Fields>(
  title: string,
  fields: F,
  {
    ignored = [],
    further = {},
    ofNew = {},
  }: {
    ignored?: readonly string[];
    further?: Record<string, SchemaObject>;
    ofNew?: Record<string, SchemaObject>;
  } = {},
): RecordDescription<F> {
  const entries = Object.entries(fields);
  const changeable = entries.filter(([, { set }]) => set !== 'assigned').map(([name]) => name);
  const assigned = entries.filter(([, { set }]) => set === 'assigned').map(([name]) => name);
  const required = entries.filter(([, { set }]) => set === 'required').map(([name]) => name);
  const initially = Object.fromEntries(
    entries.flatMap(([name, field]) => ('initially' in field ? [[name, field.initially as unknown]] : [])),
  );
  const properties = Object.fromEntries(changeable.map((name) => [name, (fields[name] as F[string]).request]));
  const toColumns = (changes: Record<string, unknown>): object =>
    Object.fromEntries(
      changeable
        .filter((name) => changes[name] !== undefined)
        .map((name) => [name, (fields[name] as F[string]).toColumn(changes[name]) as unknown]),
    );
  const all = { ...properties, ...further };
  const options = { ignored: [...assigned, ...ignored] };
  return {
    fields,
    newBody: named(
      `New${title}`,
      requestBody({ ...all, ...ofNew }, { required: [...required, ...Object.keys(further)], ...options }),
    ),
    changesBody: named(`${title}Changes`, requestBody(all, options)),
    columnsOf: (alias) => entries.map(([name]) => `${alias}.${name}`).join(', '),
    newColumns: (input) => ({ ...initially, ...toColumns(input) }) as NewColumnsOf<F>,
    toColumns: (changes) => toColumns(changes),
    changeable: changeable as (keyof SettableOf<F> & string)[],
  };
}
