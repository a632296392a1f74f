import { readDate } from '../../shared/domain/dates';
import type { PageRequest } from '../../shared/usecases/page';

/** MySQL's OFFSET and JavaScript's integers end before this; a page beyond is empty like any past the end. */
const LAST_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 100);

/** The checked page parameters of a list's query; a `limit` above 100 counts as 100. */
export function pageRequest<F extends string>(query: PageRequest<F>): PageRequest<F> {
  const { page, limit, sortBy, sortOrder } = query;
  return { page: Math.min(page, LAST_PAGE), limit: Math.min(limit, 100), sortBy, sortOrder };
}

/** An optional day of a query, in either accepted form. */
export function optionalDay(text: string | undefined): string | null {
  return text === undefined ? null : readDate(text);
}

/** The query of a list that is only searched. */
export type SearchQuery<F extends string> = PageRequest<F> & { search?: string; includeDeleted?: boolean };

/** Its checked parameters; `search` is null where absent. */
export function searchRequest<F extends string>(
  query: SearchQuery<F>,
): PageRequest<F> & {
  search: string | null;
  includeDeleted: boolean;
} {
  return { ...pageRequest(query), search: query.search ?? null, includeDeleted: query.includeDeleted ?? false };
}
