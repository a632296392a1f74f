/** The requested page of a list, checked and with defaults by the caller. */
export interface PageRequest<SortField extends string> {
  /** From 1; 1 where it is absent. */
  page?: number;
  /** 1 to 100. */
  limit: number;
  sortBy: SortField;
  sortOrder: 'asc' | 'desc';
}

/** How a list is sorted. */
export type Sorting = Pick<PageRequest<string>, 'sortBy' | 'sortOrder'>;

/** The list envelope of the interface, with records instead of their JSON. */
export interface Page<T> {
  data: T[];
  total: number;
  page: number;
  limit: number;
  /** 0 where there are no records. */
  totalPages: number;
  /** Of a list that is counted up to a number: whether it has more records than `total` says. */
  totalIsCapped?: boolean;
}

/** A page that was requested by a cursor, with records instead of their JSON. */
export interface CursorPage<T> {
  data: T[];
  limit: number;
  total: number;
  /** Null at the end. */
  nextCursor: string | null;
}

/** The most bytes that MySQL may send for one page. Twenty usual pages fit. */
export const WHOLE_PAGE_BYTES = 1024 * 1024;

/**
 * A page whose records are too large to be held together. Its ids, their order and the total are of one snapshot. Each record is read
 * later, whole, when it is needed.
 */
export class LargePage<T> {
  constructor(
    readonly records: AsyncIterable<T>,
    readonly envelope: Envelope | Omit<CursorPage<T>, 'data'>,
  ) {}
}

type Envelope = Omit<Page<unknown>, 'data'>;

/** Where a page lies in its list, `limit` as it was applied, and the most records that the list counts. */
type Place = Pick<Envelope, 'page' | 'limit'> & { countedUpTo?: number };

export function pageOf<T>(data: T[], total: number, place: Place): Page<T> {
  return { data, ...envelopeOf(total, place) };
}

export function envelopeOf(counted: number, { page, limit, countedUpTo }: Place): Envelope {
  const total = Math.min(counted, countedUpTo ?? counted);
  const envelope = { total, page, limit, totalPages: Math.ceil(total / limit) };
  return countedUpTo === undefined ? envelope : { ...envelope, totalIsCapped: counted > countedUpTo };
}

/** A page of a list, by number or cursor, which may be too large to be held. */
export type AnyPage<T> = Page<T> | CursorPage<T> | LargePage<T>;

/** Applies `present` to every record; to those of a large page as they are read. */
export function mapPage<T, U>(page: AnyPage<T>, present: (record: T) => U): AnyPage<U> {
  if (page instanceof LargePage) return new LargePage(mapEach(page.records, present), page.envelope);
  return { ...page, data: page.data.map(present) };
}

/** Applies `present` to every record as it is read. */
export async function* mapEach<T, U>(records: AsyncIterable<T>, present: (record: T) => U): AsyncGenerator<U> {
  for await (const record of records) yield present(record);
}
