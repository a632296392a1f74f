import type { NewestEvents } from './EventSignals';
import { padded, placeholders, type Sql, type SqlText, toIsoTime } from '../db';

/** An event as the feed shows it, with `data` as JSON text. */
export interface FeedEvent {
  /** The place in the feed. */
  id: number;
  /** In MySQL's format. */
  createdAt: string;
  type: string;
  actor: string;
  requestId: string | null;
  subjectType: string;
  subjectId: number;
  data: string;
}

export interface FeedQuery {
  /** Events after this one; 0 is the beginning. */
  after: number;
  /** The most events to return. */
  limit: number;
  /** Types and patterns ({@link isOneOfTypes}); absent: all. */
  types?: readonly string[];
  subject?: { type: string; id: number };
  /** Events that a read with a filter examines at most. */
  lookThrough?: number;
}

/** A read of one statement. */
interface FeedRead extends FeedQuery {
  /** The last event that is examined; null for no end. */
  readonly until: number | null;
  /** The index to read by. That of the subject has another order, so all events of the subject are read and sorted. */
  readonly index: 'events_feed' | 'events_by_subject';
}

/** A part of a company's feed. */
export interface FeedPage {
  events: FeedEvent[];
  /** Where the next page begins: no event up to here is missing. */
  nextAfter: number;
  hasMore: boolean;
}

/** The most events that one request with a filter reads. A reader continues from `nextAfter`. */
const LOOKED_THROUGH = 10_000;
/** The byte budget of a page, as MySQL sends it. One event always fits. */
const PAGE_BYTES = 1024 * 1024;
/** What MySQL sends of an event beside its data, at most. */
const BYTES_BESIDE_DATA = 400;
/** Of more events than this it is found out first how many fit: MySQL sends all that it was asked for, and what does not fit is read in vain. */
const FEW = 100;

const BESIDE_DATA = 'seq AS id, type, createdAt, actor, requestId, subjectType, subjectId';
const COLUMNS = `${BESIDE_DATA}, data`;

/**
 * Reads a part of a company's feed in its order. Numbers are given in the order in which they become visible, so a reader that
 * continues from `nextAfter` misses no event and sees none twice.
 */
export async function readFeed(sql: Sql, companyId: number, query: FeedQuery): Promise<FeedPage> {
  const isFiltered = query.types !== undefined || query.subject !== undefined;
  const end = isFiltered ? await endOfRead(sql, companyId, query) : null;
  if (isFiltered && end === null) return { events: [], nextAfter: query.after, hasMore: false };
  const read = { ...query, until: end?.id ?? null, index: end?.index ?? ('events_feed' as const) };
  for (let limit = await fittingLimit(sql, companyId, read); ; limit = Math.ceil(limit / 4)) {
    const events = await readEvents(sql, companyId, { ...read, limit: limit + 1 });
    // The rows are too large to be held together.
    if (events === null) continue;
    const isEndShown = end !== null && events[events.length - 1]?.id === end.id;
    if (isEndShown) events.pop();
    const isCut = events.length > limit;
    if (isCut) events.pop();
    if (isEndShown && !isCut) return { events, nextAfter: end.id, hasMore: end.isFull };
    return { events, nextAfter: events[events.length - 1]?.id ?? query.after, hasMore: isCut || end !== null };
  }
}

/**
 * Reads events of a company by their numbers in the feed, in its order: the first of them that fit into `maxBytes`, and at least one. `upTo` is the last number that was read.
 */
export async function readEventsById(
  sql: Sql,
  companyId: number,
  ids: readonly number[],
  maxBytes: number,
): Promise<{ events: FeedEvent[]; upTo: number }> {
  const sorted = [...ids].sort((one, other) => one - other);
  for (let count = sorted.length; count > 0; count = Math.ceil(count / 4)) {
    const upTo = sorted[count - 1] ?? 0;
    const asked = padded(sorted.slice(0, count));
    const text = `SELECT ${COLUMNS} FROM events FORCE INDEX (events_feed)
      WHERE companyId = ? AND seq IN (${placeholders(asked.length)}) AND seq <= ? ORDER BY seq`;
    const values = [companyId, ...asked, upTo];
    const events =
      count === 1 ? await sql.rows<FeedEvent>(text, values) : await sql.rowsWithin<FeedEvent>(maxBytes, text, values);
    if (events !== null) return { events, upTo };
  }
  return { events: [], upTo: 0 };
}

/** Returns the number of a company's newest event in the feed, or 0. */
export const newestEvent = async (sql: Sql, companyId: number): Promise<number> =>
  (await newestEvents(sql, [companyId])).get(companyId) ?? 0;

/**
 * Returns the number of each company's newest event in the feed, or 0, by one row of the index for each. Where most companies have few
 * events, the server would read all rows of one with millions for a `MAX`. MySQL sorts all of them unless the order names the company, too.
 */
export async function newestEvents(sql: Sql, companyIds: readonly number[]): Promise<NewestEvents> {
  const asked = padded(companyIds);
  const rows = await sql.rows<{ companyId: number; newest: number | null }>(
    `SELECT id AS companyId, (SELECT seq FROM events FORCE INDEX (events_feed)
        WHERE companyId = companies.id ORDER BY companyId DESC, seq DESC LIMIT 1) AS newest
      FROM companies WHERE id IN (${placeholders(asked.length)})`,
    asked,
  );
  return new Map(rows.map(({ companyId, newest }) => [companyId, newest ?? 0]));
}

/** Returns the JSON text of an event. */
export function feedEventJson(event: FeedEvent): string {
  const { id, type, createdAt, actor, requestId, subjectType, subjectId, data } = event;
  return (
    `{"id":${id},"type":"${type}","createdAt":"${toIsoTime(createdAt)}","actor":${JSON.stringify(actor)},` +
    `"requestId":${requestId === null ? 'null' : JSON.stringify(requestId)},` +
    `"subject":{"type":"${subjectType}","id":${subjectId}},"data":${data}}`
  );
}

/**
 * Returns the last event that a filtered read examines; null for none. A subject with few events has the whole feed read, by an index of its
 * own. Any other filter has a part of it read, whose end is found in the index alone.
 */
async function endOfRead(
  sql: Sql,
  companyId: number,
  { after, subject, lookThrough = LOOKED_THROUGH }: FeedQuery,
): Promise<(Pick<FeedRead, 'index'> & { id: number; isFull: boolean }) | null> {
  if (subject !== undefined) {
    const counted = `SELECT COUNT(*) AS count FROM (SELECT id FROM events FORCE INDEX (events_by_subject)
      WHERE companyId = ? AND subjectType = ? AND subjectId = ? LIMIT ?) found`;
    const [found] = await sql.rows<{ count: number }>(counted, [companyId, subject.type, subject.id, lookThrough + 1]);
    const newest = await newestEvent(sql, companyId);
    if (newest <= after) return null;
    if ((found?.count ?? 0) <= lookThrough) return { id: newest, isFull: false, index: 'events_by_subject' };
  }
  const [row] = await sql.rows<{ count: number; last: number | null }>(
    `SELECT COUNT(*) AS count, MAX(seq) AS last FROM
      (SELECT seq FROM events WHERE companyId = ? AND seq > ? ORDER BY seq LIMIT ?) looked`,
    [companyId, after, lookThrough],
  );
  if (row === undefined || row.last === null) return null;
  return { id: row.last, isFull: row.count === lookThrough, index: 'events_feed' };
}

/** Returns how many of the next events fit into a page together with the one after them. */
async function fittingLimit(sql: Sql, companyId: number, read: FeedRead): Promise<number> {
  const { limit } = read;
  if (limit <= FEW) return limit;
  const { text, values } = selectSql('LENGTH(data) AS bytes', companyId, { ...read, limit: limit + 1 });
  const sizes = await sql.rows<{ bytes: number }>(text, values);
  let left = PAGE_BYTES;
  const fitting = sizes.findIndex(({ bytes }) => (left -= bytes + BYTES_BESIDE_DATA) < 0);
  return fitting === -1 ? limit : Math.max(1, fitting - 1);
}

/**
 * Reads events, and after them the one at `until` without its data. After a failover this may be another server than the one that has
 * shown the end, and it may show the last events only later.
 */
async function readEvents(sql: Sql, companyId: number, read: FeedRead): Promise<FeedEvent[] | null> {
  let { text, values } = selectSql(COLUMNS, companyId, read);
  if (read.until !== null) {
    const end = `SELECT ${BESIDE_DATA}, NULL FROM events FORCE INDEX (events_feed) WHERE companyId = ? AND seq = ?`;
    text = `(${text}) UNION ALL (${end})`;
    values = [...values, companyId, read.until];
  }
  return read.limit <= 2 ? sql.rows<FeedEvent>(text, values) : sql.rowsWithin<FeedEvent>(PAGE_BYTES, text, values);
}

function selectSql(
  columns: string,
  companyId: number,
  { after, types, subject, until, limit, index }: FeedRead,
): SqlText {
  const conditions: SqlText[] = [{ text: 'companyId = ? AND seq > ?', values: [companyId, after] }];
  if (until !== null) conditions.push({ text: 'seq <= ?', values: [until] });
  if (types !== undefined) conditions.push(ofTypes(types));
  if (subject !== undefined) {
    conditions.push({ text: 'subjectType = ? AND subjectId = ?', values: [subject.type, subject.id] });
  }
  const text = `SELECT ${columns} FROM events FORCE INDEX (${index})
    WHERE ${conditions.map((condition) => condition.text).join(' AND ')} ORDER BY seq LIMIT ?`;
  return { text, values: [...conditions.flatMap((condition) => condition.values), limit] };
}

function ofTypes(patterns: readonly string[]): SqlText {
  if (patterns.includes('*')) return { text: 'TRUE', values: [] };
  const exact = patterns.filter((pattern) => !pattern.endsWith('.*'));
  // `_` is a wildcard of LIKE.
  const prefixes = patterns.filter((pattern) => pattern.endsWith('.*')).map((pattern) => pattern.slice(0, -1));
  const parts = [...exact.map(() => 'type = ?'), ...prefixes.map(() => "type LIKE ? ESCAPE '!'")];
  return {
    text: `(${parts.join(' OR ')})`,
    values: [...exact, ...prefixes.map((prefix) => `${prefix.replaceAll('_', '!_')}%`)],
  };
}
