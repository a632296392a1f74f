import type { ParsedUrlQuery } from 'node:querystring';
import type { SchemaObject } from 'ajv';

/** Records before a page that MySQL may read, and pass over, on an index. */
const FEW_RECORDS = 1_000;

/**
 * Returns a test for requests of a list that make MySQL read more than their page: those with `search`, in another order than
 * the default one, or far from the front. Parameters need not be checked yet.
 */
export function scanTest(query: SchemaObject | undefined): (given: ParsedUrlQuery) => boolean {
  const { search, sortBy, page, limit } = (query?.properties ?? {}) as Record<
    string,
    { default?: unknown } | undefined
  >;
  if (sortBy === undefined) return () => false;
  // An empty parameter counts as absent.
  return (given) =>
    (search !== undefined && Boolean(given['search'])) ||
    (given['sortBy'] || sortBy.default) !== sortBy.default ||
    Number(given['page'] || page?.default) * Number(given['limit'] || limit?.default) > FEW_RECORDS;
}
