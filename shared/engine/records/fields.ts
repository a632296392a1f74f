import type { SchemaObject } from 'ajv';
import type { Static, TSchema, TUnsafe } from '@sinclair/typebox';
import { formatDecimal, formatRate, parseDecimal, parseRate } from '../../money/money';
import * as schemas from '../schemas';
import type { DecimalBounds } from '../schemas';

/** How a column's value, as MySQL sends it, becomes JSON. */
export type JsonForm = 'same' | 'number' | 'boolean' | 'timestamp' | 'date' | 'list' | 'json';

/**
 * A kind of value: its type in requests (`Input`), in MySQL's results (`Column`) and in responses (`Json`), with the conversions between
 * them.
 */
export interface ValueKind<Input, Column, Json> {
  readonly request: TUnsafe<Input>;
  readonly response: TUnsafe<Json>;
  readonly form: JsonForm;
  toColumn(value: Input): Column;
}

/** One field of a record. */
export interface Field<Input = unknown, Column = unknown, Json = unknown> extends ValueKind<Input, Column, Json> {
  /** `assigned`: only the service sets it; requests may hold it, and it is ignored. */
  readonly set: 'required' | 'optional' | 'assigned';
  /** The value of a new record for an absent property; absent where a use-case decides. */
  readonly initially?: Column;
}

// Any field: the functions of a field are only called with values of that same field.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyField = Field<any, any, any>;
export type Fields = Readonly<Record<string, AnyField>>;

type InputOfField<F> = F extends Field<infer Input, infer _Column, infer _Json> ? Input : never;
type ColumnOfField<F> = F extends Field<infer _Input, infer Column, infer _Json> ? Column : never;
type NamesOf<F extends Fields, Set extends Field['set']> = {
  [K in keyof F]: F[K]['set'] extends Set ? K : never;
}[keyof F];

type InitialNamesOf<F extends Fields> = {
  [K in keyof F]: F[K] extends { initially: unknown } ? K : never;
}[keyof F];

/** A record as one statement reads it: decimals and days as text, timestamps as MySQL writes them (UTC), booleans 0 or 1. */
export type RowOf<F extends Fields> = { -readonly [K in keyof F]: ColumnOfField<F[K]> };
/** The columns that requests set. */
export type SettableOf<F extends Fields> = Pick<RowOf<F>, NamesOf<F, 'required' | 'optional'>>;
/** The columns of a new record that follow from a request. */
export type NewColumnsOf<F extends Fields> = Pick<RowOf<F>, NamesOf<F, 'required'> | InitialNamesOf<F>> &
  Partial<SettableOf<F>>;
/** A checked create request. */
export type InputOf<F extends Fields> = { -readonly [K in NamesOf<F, 'required'>]: InputOfField<F[K]> } & {
  -readonly [K in NamesOf<F, 'optional'>]?: InputOfField<F[K]>;
};
/** A checked PUT: absent fields keep their values. */
export type ChangesOf<F extends Fields> = Partial<InputOf<F>>;

export const required = <I, C, J>(kind: ValueKind<I, C, J>) => ({ ...kind, set: 'required' }) as const;
/** @param initially the value of a new record for an absent property */
export const optional = <I, C, J>(kind: ValueKind<I, C, J>, initially: NoInfer<C>) =>
  ({ ...kind, set: 'optional', initially }) as const;
/** An optional field whose initial value a use-case decides. */
export const decided = <I, C, J>(kind: ValueKind<I, C, J>) => ({ ...kind, set: 'optional' }) as const;
export const assigned = <I, C, J>(kind: ValueKind<I, C, J>) => ({ ...kind, set: 'assigned' }) as const;

/** A value that is the same in requests, columns and responses. */
export const value = <S extends TSchema>(
  request: S,
  response: SchemaObject = shown(request),
): ValueKind<Static<S>, Static<S>, Static<S>> => ({
  request: request,
  response: response as TUnsafe<Static<S>>,
  form: 'same',
  toColumn: (given) => given,
});

/** A day, `YYYY-MM-DD`. */
export const day: ValueKind<string, string, string> = value(schemas.day);

/** A day that a record alone shows as a timestamp, its midnight in UTC, and a list as `YYYY-MM-DD`. */
export const date: ValueKind<string, string, string> = { ...day, form: 'date' };

/** A decimal with two places: text in responses, text or a number in requests. */
export const decimal = (bounds?: DecimalBounds): ValueKind<string | number, string, string> => ({
  request: schemas.decimal(bounds),
  response: schemas.decimalText,
  form: 'same',
  toColumn: toDecimal,
});

/** A percentage from 0 to 100 with up to four decimals, shown with two, and more only where it has them. */
export const rate: ValueKind<string | number, string, string> = {
  request: schemas.decimal({ atLeast: '0', atMost: '100', places: 4 }),
  response: schemas.rateText,
  form: 'same',
  toColumn: (given) => formatRate(parseRate(given)),
};

/** A decimal that is a JSON number in requests and responses. It is exact: amounts in bounds have at most 15 digits. */
export const decimalNumber = (bounds?: DecimalBounds): ValueKind<number, string, number> => ({
  request: schemas.decimalNumber(bounds),
  response: schemas.decimalNumber(),
  form: 'number',
  toColumn: toDecimal,
});

export const timestamp: ValueKind<string, string, string> = { ...value(schemas.timestamp), form: 'timestamp' };

export const flag: ValueKind<boolean, 0 | 1, boolean> = {
  request: schemas.boolean,
  response: schemas.boolean,
  form: 'boolean',
  toColumn: (given) => (given ? 1 : 0),
};

export const nullable = <I, C, J>(kind: ValueKind<I, C, J>): ValueKind<I | null, C | null, J | null> => ({
  request: schemas.orNull(kind.request),
  response: schemas.orNull(kind.response),
  form: kind.form,
  toColumn: (given) => (given === null ? null : kind.toColumn(given)),
});

function toDecimal(given: string | number): string {
  return formatDecimal(parseDecimal(given));
}

/** Returns the schema for responses: it leaves out the rules of requests beyond type, length and format. */
function shown(request: TSchema): SchemaObject {
  const { maxLines: _, pattern, ...rest } = request as Record<string, unknown>;
  return rest.format === 'email' ? { ...rest, pattern } : rest;
}
