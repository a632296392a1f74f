import type { SchemaObject } from 'ajv';
import { expenseStatuses, invoiceStatuses, recurrences, scopes } from '../../shared/domain/statuses';
import type { DecimalBounds } from './decimal';

/** Schemas of single fields: JSON Schema 2020-12 as OpenAPI 3.1 shows it, and as ajv checks it. */

export const line = (maxLength: number, minLength = 0): SchemaObject => ({
  type: 'string',
  minLength,
  maxLength,
  format: 'line',
});
/** A line that does not consist of spaces alone. */
export const nameLine = (maxLength: number): SchemaObject => ({ ...line(maxLength, 1), pattern: /\S/u.source });
/** Text of several lines. `maxLines` is for text that is printed: what was accepted fits on paper. */
export const text = (maxLength: number, maxLines?: number): SchemaObject => ({
  type: 'string',
  maxLength,
  ...(maxLines !== undefined && { maxLines }),
  format: 'text',
});
export const orNull = (schema: SchemaObject): SchemaObject => ({ ...schema, type: [schema.type as string, 'null'] });
export const recordId: SchemaObject = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
export const day: SchemaObject = { type: 'string', maxLength: 35, format: 'day', example: '2026-01-31' };
export const currency: SchemaObject = { type: 'string', maxLength: 3, format: 'currency', example: 'IDR' };
export const email: SchemaObject = { type: 'string', minLength: 3, maxLength: 254, format: 'email' };
export const locale: SchemaObject = { type: 'string', maxLength: 35, format: 'locale', example: 'id-ID' };
export const timezone: SchemaObject = { type: 'string', maxLength: 64, format: 'timezone', example: 'Asia/Jakarta' };
export const invoiceStatus: SchemaObject = { type: 'string', enum: invoiceStatuses };
export const expenseStatus: SchemaObject = { type: 'string', enum: expenseStatuses };
export const recurrence: SchemaObject = { type: 'string', enum: recurrences };
export const scopeList: SchemaObject = {
  type: 'array',
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  items: { type: 'string', enum: scopes },
};
export const boolean: SchemaObject = { type: 'boolean' };
export const moment: SchemaObject = { type: 'string', maxLength: 64, format: 'date-time' };

/** A JSON number or a decimal string, at most two places: never rounded. */
export const decimal = (bounds: DecimalBounds = {}): SchemaObject => ({
  type: ['number', 'string'],
  maxLength: 32,
  decimal: bounds,
});

/** The same as a JSON number only. */
export const decimalNumber = (bounds: DecimalBounds = {}): SchemaObject => ({
  type: 'number',
  decimal: bounds,
  example: 19.99,
});

/** An http(s) URL, or nothing. */
export const webAddress = (maxLength: number): SchemaObject => ({ type: 'string', maxLength, format: 'web-address' });

/** Text of a decimal with two places, as responses show it. */
export const decimalText: SchemaObject = { type: 'string', pattern: /^-?\d+\.\d{2}$/u.source, example: '19.99' };

/**
 * A request body. Unknown fields are refused; those named in `ignored` (what a response shows and a request cannot set) are
 * accepted whatever they hold, so that what GET returned can be PUT back.
 */
export function requestBody(
  properties: Record<string, SchemaObject>,
  { required = [], ignored = [] }: { required?: string[]; ignored?: readonly string[] } = {},
): SchemaObject {
  const readOnly = Object.fromEntries(ignored.map((name) => [name, { readOnly: true }]));
  return { type: 'object', additionalProperties: false, required, properties: { ...readOnly, ...properties } };
}

/** A response: every field is there, and no other. */
export function responseBody(properties: Record<string, SchemaObject>): SchemaObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties };
}

/** The list envelope. */
export function listOf(item: SchemaObject): SchemaObject {
  const count: SchemaObject = { type: 'integer', minimum: 0 };
  return responseBody({
    data: { type: 'array', items: item },
    total: count,
    page: { type: 'integer', minimum: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    totalPages: count,
  });
}

/** Query parameters of every page of records. `limit` above 100 counts as 100. */
export function pageQuery(sortFields: readonly string[], defaultSort: string): SchemaObject {
  return {
    type: 'object',
    properties: {
      page: { type: 'integer', minimum: 1, default: 1 },
      limit: { type: 'integer', minimum: 1, default: 10 },
      sortBy: { type: 'string', enum: sortFields, default: defaultSort },
      sortOrder: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
      includeDeleted: { type: 'boolean', default: false },
    },
  };
}

/** Query parameters of every list. */
export function listQuery(
  sortFields: readonly string[],
  defaultSort: string,
  filters: Record<string, SchemaObject> = {},
): SchemaObject {
  const { type, properties } = pageQuery(sortFields, defaultSort) as { type: string; properties: object };
  return { type, properties: { ...properties, search: line(255), ...filters } };
}

/** Query parameters of a get. */
export const getQuery: SchemaObject = {
  type: 'object',
  properties: { includeDeleted: { type: 'boolean', default: false } },
};
