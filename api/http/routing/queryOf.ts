import type { SchemaObject } from 'ajv';
import { CsvTable } from '../csv/CsvTable';
import type { Route } from './Route';

/** Returns the schema of the query of a route, with the parameters of its CSV. */
export function queryOf({ query, csv }: Route): SchemaObject | undefined {
  if (csv === undefined) return query;
  const { parameters } = new CsvTable(csv.row);
  return { type: 'object', ...query, properties: { ...(query?.properties as object | undefined), ...parameters } };
}
