import type { SchemaObject } from 'ajv';
import { readDate } from '../../dates/dates';

/** Returns a checked body for use-cases: without ignored read-only fields, and with every day as `YYYY-MM-DD`. */
export function normaliseBody(schema: SchemaObject, body: object): object {
  const properties = (schema.properties ?? {}) as Record<string, SchemaObject>;
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => properties[name]?.readOnly !== true)
      .map(([name, value]) => [name, normaliseValue(properties[name] ?? {}, value)]),
  );
}

function normaliseValue(schema: SchemaObject, value: unknown): unknown {
  if (typeof value === 'string' && schema.format === 'day') return readDate(value);
  if (Array.isArray(value) && schema.items) {
    return value.map((item: unknown) => normaliseValue(schema.items as SchemaObject, item));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return normaliseBody(schema, value);
  return value;
}
