import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import type { SchemaObject } from 'ajv';
import { errorCodes } from '../errors';
import type { DecimalBounds } from './decimal';

/** A pattern of types of events: `invoice.paid`, `invoice.*` (which includes `invoice.payment_link.created`), `*`. */
export const EVENT_TYPE_PATTERN = /^(?:\*|[a-z_]{1,32}(?:\.[a-z_]{1,32}){0,3}(?:\.\*)?)$/u;

/** A key of metadata. */
export const METADATA_KEY_PATTERN = /^[A-Za-z0-9_.-]{1,40}$/u;

/** Schemas of single values: JSON Schema 2020-12 for OpenAPI 3.1 and ajv, with the TypeScript type of accepted values. */
const of = <T>(schema: SchemaObject): TUnsafe<T> => Type.Unsafe<T>(schema);

type TypeOf<S> = S extends TSchema ? Static<S> : unknown;

/** The type of an object with these properties. */
export type StaticOf<P extends TProperties> = Static<TObject<P>>;

/** Gives a schema the name that it has in the OpenAPI document, and so in clients that are generated from it. */
export const named = <S extends SchemaObject>(title: string, schema: S): S => ({ title, ...schema });

export const line = (maxLength: number, minLength = 0): TUnsafe<string> =>
  of({ type: 'string', minLength, maxLength, format: 'line' });
/** A line that does not consist of spaces alone. */
export const nameLine = (maxLength: number): TUnsafe<string> => of({ ...line(maxLength, 1), pattern: /\S/u.source });
/** Text of several lines. `maxLines` is for text that is printed: what was accepted fits on paper. */
export const text = (maxLength: number, maxLines?: number, minLength?: number): TUnsafe<string> =>
  of({
    type: 'string',
    ...(minLength !== undefined && { minLength }),
    maxLength,
    ...(maxLines !== undefined && { maxLines }),
    format: 'text',
  });
/** Text with a format of its own, which may be empty where the format takes that. */
const formatted = (maxLength: number, format: string, ...examples: string[]): TUnsafe<string> =>
  of({ type: 'string', maxLength, format, ...(examples.length > 0 && { examples }) });
/** A line with a format of its own. */
export const oneLine = (maxLength: number, format: string, keywords: SchemaObject = {}): TUnsafe<string> =>
  of({ type: 'string', minLength: 1, maxLength, format, ...keywords });
export const orNull = <S extends SchemaObject>(schema: S): TUnsafe<TypeOf<S> | null> =>
  of(
    schema.title === undefined
      ? { ...schema, type: [schema.type as string, 'null'] }
      : { anyOf: [schema, { type: 'null' }] },
  );
/** One of some words. */
export const oneOf = <const W extends readonly string[]>(title: string, words: W): TUnsafe<W[number]> =>
  named(title, of<W[number]>({ type: 'string', enum: words }));
export const recordId: TUnsafe<number> = of({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const day = formatted(35, 'day', '2026-01-31');
export const currency = formatted(3, 'currency', 'IDR');
/** Only printable ASCII before the `@`. The format refuses text without `@`. */
export const asciiLocalPart = /^[\x20-\x7e]*(?:@|$)/u.source;
export const email: TUnsafe<string> = of({
  type: 'string',
  minLength: 3,
  maxLength: 254,
  pattern: asciiLocalPart,
  format: 'email',
});
export const locale = formatted(35, 'locale', 'id-ID');
export const timezone = formatted(64, 'timezone', 'Asia/Jakarta');
export const errorCode = named(
  'ErrorCode',
  of<string>({ type: 'string', enum: errorCodes, description: 'Stable; programs decide by it.' }),
);
export const boolean: TUnsafe<boolean> = of({ type: 'boolean' });
export const timestamp = formatted(64, 'date-time');

/** A day or a timestamp: when something happened, as exactly as the caller knows it. */
export const dayOrTime = formatted(64, 'day-or-time', '2026-01-31', '2026-01-31T17:00:00Z');

/** A JSON number or a decimal string, at most two places unless the bounds say more: never rounded. */
export const decimal = (bounds: DecimalBounds = {}): TUnsafe<string | number> =>
  of({ type: ['number', 'string'], maxLength: 32, decimal: bounds });

/** The same as a JSON number only. */
export const decimalNumber = (bounds: DecimalBounds = {}): TUnsafe<number> =>
  of({ type: 'number', decimal: bounds, examples: [19.99] });

/** An http(s) URL, or nothing. */
export const webAddress = (maxLength: number): TUnsafe<string> => formatted(maxLength, 'web-address');

const shownAs = ({ source: pattern }: RegExp, ...examples: string[]): TUnsafe<string> =>
  of({ type: 'string', pattern, examples });

/** Text of a decimal with two places, as responses show it. */
export const decimalText = shownAs(/^-?\d+\.\d{2}$/u, '19.99');

/** Text of a rate with two to four places, as responses show it. */
export const rateText = shownAs(/^\d+\.\d{2,4}$/u, '11.00', '8.875');

/**
 * A request body. Unknown fields are refused; those named in `ignored` (properties of responses that a request cannot set) are accepted
 * with any value, so that a response to GET can be PUT back.
 */
export function requestBody(
  properties: Record<string, SchemaObject>,
  { required = [], ignored = [] }: { required?: readonly string[]; ignored?: readonly string[] } = {},
): SchemaObject {
  const readOnly = Object.fromEntries(ignored.map((name) => [name, { readOnly: true }]));
  return { type: 'object', additionalProperties: false, required, properties: { ...readOnly, ...properties } };
}

/** A response: every field is there, and no other. */
export function responseBody(properties: Record<string, SchemaObject>): SchemaObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

/** Returns the list envelope over named records, with further fields: `InvoiceInList` makes `InvoiceInListPage`. */
export function listOf(item: SchemaObject, beside: Record<string, SchemaObject> = {}): SchemaObject {
  const count: SchemaObject = { type: 'integer', minimum: 0 };
  const page = responseBody({
    data: { type: 'array', items: item },
    total: count,
    page: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    totalPages: count,
    ...beside,
  });
  return named(`${String(item.title)}Page`, page);
}

/** The envelopes of a list that has cursors: by page and, where the request has a `cursor`, by cursor. */
export function cursorListOf(item: SchemaObject, beside: Record<string, SchemaObject> = {}): SchemaObject {
  const { title, properties } = listOf(item) as { title: string; properties: Record<string, SchemaObject> };
  const { data, limit, total } = properties;
  const nextCursor = { type: ['string', 'null'], description: 'Null at the end.' };
  const byCursor = responseBody({ data, limit, total, nextCursor, ...beside } as Record<string, SchemaObject>);
  return named(title.replace(/Page$/, 'Pages'), {
    anyOf: [
      named(title, responseBody({ ...properties, ...beside })),
      named(title.replace(/Page$/, 'CursorPage'), byCursor),
    ],
  });
}

/** Query parameters of every page of records. `limit` above 100 counts as 100. */
export function pageQuery(
  sortFields: readonly string[],
  defaultSort: string,
  filters: Record<string, SchemaObject> = {},
): SchemaObject {
  return {
    type: 'object',
    properties: {
      page: { type: 'integer', minimum: 1, default: 1 },
      limit: { type: 'integer', minimum: 1, default: 10 },
      sortBy: { type: 'string', enum: sortFields, default: defaultSort },
      sortOrder: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
      ...filters,
    },
  };
}

/** The query parameter that includes deleted records. */
export const includeDeleted = { includeDeleted: { type: 'boolean', default: false } };

/** Query parameters of a get. */
export const getQuery: SchemaObject = { type: 'object', properties: includeDeleted };
