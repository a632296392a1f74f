import type { ParsedUrlQuery } from 'node:querystring';
import type { SchemaObject } from 'ajv';

/** Records before a page that MySQL may skip on an index. */
const FEW_RECORDS = 1_000;

/**
 * Returns a test for list requests that make MySQL read much more than their page: with `search`, with an order other than the
 * default, or far from the front. The parameters need not be validated yet.
 */
export function scanTest(query: SchemaObject | undefined): (request: { query: ParsedUrlQuery }) => boolean {
  const { search, sortBy, page, limit } = (query?.properties ?? {}) as Record<
    string,
    { default?: unknown } | undefined
  >;
  if (sortBy === undefined) return () => false;
  // An empty parameter counts as absent.
  return ({ query: given }) =>
    (search !== undefined && Boolean(given['search'])) ||
    (given['sortBy'] || sortBy.default) !== sortBy.default ||
    Number(given['page'] || page?.default) * Number(given['limit'] || limit?.default) > FEW_RECORDS;
}
