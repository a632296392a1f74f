/** Which page of a list is asked for; checked and with defaults applied by the caller. */
export interface PageRequest<SortField extends string> {
  /** From 1. */
  page: number;
  /** 1 to 100. */
  limit: number;
  sortBy: SortField;
  sortOrder: 'asc' | 'desc';
}

/** The list envelope of the interface, with records instead of their JSON. */
export interface Page<T> {
  data: T[];
  total: number;
  page: number;
  limit: number;
  /** 0 where there are no records. */
  totalPages: number;
}

export function pageOf<T>(data: T[], total: number, { page, limit }: { page: number; limit: number }): Page<T> {
  return { data, total, page, limit, totalPages: Math.ceil(total / limit) };
}

export function mapPage<T, U>(page: Page<T>, present: (record: T) => U): Page<U> {
  const { total, page: number, limit, totalPages } = page;
  return { data: page.data.map(present), total, page: number, limit, totalPages };
}
