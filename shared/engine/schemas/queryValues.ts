import type { SchemaObject } from 'ajv';

/**
 * Reads the parameters of a query, which are text, as the types of their schema: plain decimal digits as an integer, `true`
 * and `false` as a boolean. Anything else stays text, for the schema to refuse: `Number()` would take `0x10`, `1e3` and
 * `Infinity`.
 */
export function readQueryValues(schema: SchemaObject, query: Record<string, unknown>): void {
  for (const [name, { type }] of Object.entries((schema.properties ?? {}) as Record<string, SchemaObject>)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    const types = [type].flat();
    if (types.includes('integer') && /^\d+$/.test(text)) query[name] = Number(text);
    if (types.includes('boolean') && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}
