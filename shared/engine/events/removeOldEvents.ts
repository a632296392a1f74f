import { padded, placeholders, type Sql, toSqlTime, type Transactions } from '../db';
import { AppError } from '../errors';
import { type RedisClient, removeInBatches } from '../redis';
import { NUMBERS_PER_MS } from './sequence';
import type { Config } from '../../../config/env';
import type { Clock } from '../clock';

interface Means extends Transactions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly config: Pick<Config, 'eventsKeptDays' | 'redisPrefix'>;
  readonly queues: { readonly redis: RedisClient };
}

const DAY_MS = 86_400_000;
/** Events of one transaction. */
const BATCH = 512;

interface OldEvent {
  id: number;
  companyId: number;
  seq: number | null;
  createdAt: string;
}

/**
 * Removes events that are older than `EVENTS_KEPT_DAYS`, until the deadline. Returns how many. An event without its number in the feed
 * stays, and so does one that a webhook endpoint has not got yet.
 */
export async function removeOldEvents(services: Means, deadline: number): Promise<number> {
  const { sql, clock, config, queues } = services;
  if (config.eventsKeptDays === Infinity) return 0;
  const before = toSqlTime(new Date(clock.now().getTime() - config.eventsKeptDays * DAY_MS));
  return removeInBatches(queues.redis, `${config.redisPrefix}:clean-up:events-from`, deadline, async (after) => {
    // Ids increase with the time of the events, but for those that are recorded at the same time.
    const found = await sql.rows<OldEvent>(
      `SELECT id, companyId, seq, createdAt FROM events FORCE INDEX (events_id) WHERE id > ? ORDER BY id LIMIT ${BATCH}`,
      [after],
    );
    const old = found.filter(({ createdAt }) => createdAt < before);
    const removed = await removeEvents(services, await readByAll(sql, old));
    return { removed, next: old.length < BATCH ? null : (found.at(-1)?.id ?? null) };
  });
}

/** Returns those of the events that have their number, and that every enabled endpoint of their company has its deliveries of. */
async function readByAll(sql: Sql, events: readonly OldEvent[]): Promise<(OldEvent & { seq: number })[]> {
  if (events.length === 0) return [];
  const companies = padded([...new Set(events.map(({ companyId }) => companyId))]);
  const behind = await sql.rows<{ companyId: number; position: number }>(
    `SELECT companyId, MIN(position) AS position FROM webhook_endpoints
      WHERE companyId IN (${placeholders(companies.length)}) AND softDelete = 0 AND enabled = 1 GROUP BY companyId`,
    companies,
  );
  const positions = new Map(behind.map(({ companyId, position }) => [companyId, position]));
  return events.filter(
    (event): event is OldEvent & { seq: number } =>
      event.seq !== null && event.seq <= (positions.get(event.companyId) ?? Infinity),
  );
}

/** Removes events and records up to where each company's feed has lost some. */
async function removeEvents(services: Transactions, events: readonly (OldEvent & { seq: number })[]): Promise<number> {
  if (events.length === 0) return 0;
  const newest = new Map<number, number>();
  for (const { companyId, seq } of events) newest.set(companyId, Math.max(seq, newest.get(companyId) ?? 0));
  const marks = [...newest].sort(([one], [other]) => one - other);
  const ids = padded(events.map(({ id }) => id));
  return services.performForInstallation('clean-up', async ({ sql }) => {
    await sql.run(
      `INSERT INTO removed_events (companyId, upTo) VALUES ${marks.map(() => '(?, ?)').join(', ')}
       ON DUPLICATE KEY UPDATE upTo = GREATEST(upTo, VALUES(upTo))`,
      marks.flat(),
    );
    return (await sql.run(`DELETE FROM events WHERE id IN (${placeholders(ids.length)})`, ids)).affectedRows;
  });
}

/**
 * Checks that a reader which has read up to `after` can go on: no event after it was removed. Called after its page was read, so that
 * none is removed in between.
 * @throws {AppError} 410 `events_removed`.
 */
export async function requireKept(
  { sql, now }: { readonly sql: Sql; readonly now: Date },
  companyId: number,
  after: number,
): Promise<void> {
  // The number is the time at which the event was numbered, and the events of a day are kept: readers that follow the feed cost nothing.
  if (after > (now.getTime() - DAY_MS) * NUMBERS_PER_MS) return;
  const ofCompany = 'SELECT upTo FROM removed_events WHERE companyId = ?';
  const [removed] = await sql.rows<{ upTo: number }>(ofCompany, [companyId]);
  if (removed === undefined || after >= removed.upTo) return;
  const { upTo } = removed;
  const message = `events up to ${upTo} were removed: read the records again, and the events after ${upTo}`;
  throw new AppError('events_removed', message, { status: 410 });
}
