import type { SchemaObject } from 'ajv';
import type { Call } from '../routing/Call';

/** How a route responds with CSV where `Accept` prefers it to JSON. */
export interface CsvRule {
  /** In the name of the file: `invoices`. */
  readonly kind: string;
  /** The schema of a row in JSON, from which the columns follow. */
  readonly row: SchemaObject;
  /** The columns that a query without `columns` gets; absent: all. */
  columns?(query: unknown): readonly string[];
  /**
   * Reads the rows, as JSON shows them, in batches that fit into memory. What it throws before the first batch is the response.
   * Absent: the rows are the `data` of the body that `handle` returns.
   */
  batches?(call: Call): AsyncIterable<readonly object[]>;
}
