import { fromSqlTime, type Sql, type SqlText, toSqlTime } from '../engine/db';
import type { QueueCounter } from '../engine/jobs';

/** Pending deliveries are counted up to this number, in about 30 ms. */
const MOST_PENDING = 100_000;
/** The most endpoints whose remaining events are counted, and the most events of each. */
const MOST_BEHIND = 100;
const MOST_EVENTS = 1_000;

/**
 * Counts the work for webhook endpoints. `waiting`: due deliveries, and events that an endpoint has not reached yet, also of types that it
 * does not want. `scheduled`: deliveries that wait for a retry. `running`: endpoints that are being served. Deliveries that failed for good
 * are not counted.
 */
export const deliveryCounter: QueueCounter = {
  queue: 'webhook',
  async count(sql, now) {
    const [pending, endpoints, behind] = await Promise.all([
      countPending(sql, now),
      readEndpoints(sql, now),
      countBehind(sql, now),
    ]);
    const times = [endpoints.dueAt, behind.oldest].flatMap((time) => (time === null ? [] : [fromSqlTime(time)]));
    return {
      waiting: pending.due + behind.events,
      scheduled: pending.total - pending.due,
      running: endpoints.running,
      failed: 0,
      uncertain: 0,
      oldest: times.sort((one, other) => one.getTime() - other.getTime())[0] ?? null,
    };
  },
};

async function countPending(sql: Sql, now: Date): Promise<{ total: number; due: number }> {
  const [row] = await sql.rows<{ total: number; due: string | null }>(
    `SELECT COUNT(*) AS total, SUM(nextAttemptAt <= ?) AS due FROM
       (SELECT nextAttemptAt FROM webhook_deliveries FORCE INDEX (webhook_deliveries_pending)
         WHERE status = 'pending' LIMIT ${MOST_PENDING}) AS pending`,
    [toSqlTime(now)],
  );
  return { total: row?.total ?? 0, due: Number(row?.due ?? 0) };
}

/** Reads how many endpoints are served, and the earliest due delivery of the others. */
async function readEndpoints(sql: Sql, now: Date): Promise<{ running: number; dueAt: string | null }> {
  const [row] = await sql.rows<{ running: string | null; dueAt: string | null }>(
    `SELECT SUM(isRunning) AS running, MIN(dueAt) AS dueAt FROM
       (SELECT leaseUntil > ? AS isRunning,
           (SELECT GREATEST(nextAttemptAt, createdAt) FROM webhook_deliveries AS deliveries FORCE INDEX (webhook_deliveries_pending)
             WHERE status = 'pending' AND deliveries.companyId = endpoints.companyId AND endpointId = endpoints.id
             ORDER BY companyId, endpointId, nextAttemptAt LIMIT 1) AS dueAt
         FROM webhook_endpoints AS endpoints FORCE INDEX (webhook_endpoints_watched) WHERE watched = 1) AS looked
      WHERE isRunning = 1 OR dueAt <= ?`,
    [toSqlTime(now), toSqlTime(now)],
  );
  return { running: Number(row?.running ?? 0), dueAt: row?.dueAt ?? null };
}

/** Counts the remaining events in the feeds of endpoints that are not being served. */
async function countBehind(sql: Sql, now: Date): Promise<{ events: number; oldest: string | null }> {
  const endpoints = await sql.rows<{ companyId: number; position: number }>(
    `SELECT companyId, position FROM
       (SELECT companyId, position,
           (SELECT seq FROM events FORCE INDEX (events_feed) WHERE events.companyId = endpoints.companyId
             ORDER BY companyId DESC, seq DESC LIMIT 1) AS newest
         FROM webhook_endpoints AS endpoints FORCE INDEX (webhook_endpoints_watched)
         WHERE watched = 1 AND enabled = 1 AND softDelete = 0 AND (leaseUntil IS NULL OR leaseUntil <= ?)) AS looked
      WHERE newest > position ORDER BY position LIMIT ${MOST_BEHIND}`,
    [toSqlTime(now)],
  );
  if (endpoints.length === 0) return { events: 0, oldest: null };
  const parts = endpoints.map(eventsAfter);
  const [row] = await sql.rows<{ events: number; oldest: string | null }>(
    `SELECT COUNT(*) AS events, MIN(createdAt) AS oldest FROM (${parts.map(({ text }) => `(${text})`).join(' UNION ALL ')}) AS left_`,
    parts.flatMap(({ values }) => values),
  );
  return { events: row?.events ?? 0, oldest: row?.oldest ?? null };
}

const eventsAfter = ({ companyId, position }: { companyId: number; position: number }): SqlText => ({
  text: `SELECT createdAt FROM events FORCE INDEX (events_feed) WHERE companyId = ? AND seq > ? ORDER BY seq LIMIT ${MOST_EVENTS}`,
  values: [companyId, position],
});
