import type { SchemaObject } from 'ajv';
import { guardFormula } from '../../../shared/engine/csv';
import { decimalText } from '../../../shared/engine/schemas';

/** What a cell shows; null shows nothing. */
export type Cell = string | null;

/**
 * Returns what makes a cell of a value with this schema. Text that begins like a formula gets a leading `'`. An amount is no text:
 * `-5.00` stays a number for the reader, and has no other characters than digits, sign and point.
 */
export function cellOf(schema: SchemaObject): (value: unknown) => Cell {
  if ('decimal' in schema) return (value) => (value === null ? null : Number(value).toFixed(2));
  const toText = schema.pattern === decimalText.pattern ? (amount: string): string => amount : guardFormula;
  return (value) => {
    if (value === null) return null;
    if (typeof value === 'string') return toText(value);
    return Array.isArray(value) ? guardFormula(value.join(';')) : JSON.stringify(value);
  };
}
