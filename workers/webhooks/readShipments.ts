import { deliveries } from '../../config/queues';
import { type Sql, toSqlTime } from '../../shared/engine/db';
import { readEventsById, readFeed } from '../../shared/engine/events';
import { shipmentOfEvent, shipmentOfRow, type DueRow, type Shipment } from './Shipment';
import type { EndpointKey, EndpointRow } from './endpointRow';

/** Deliveries of an endpoint that are due. */
export interface DueShipments {
  readonly shipments: Shipment[];
  readonly hasMore: boolean;
}

/** Events of the feed for an endpoint. */
export interface NewShipments {
  readonly shipments: Shipment[];
  /** The last event that was read. */
  readonly readTo: number;
  readonly hasMore: boolean;
  /** How long the read took, if it looked through ten thousand events and found too few for a batch; else 0. In milliseconds. */
  readonly searchedMs: number;
}

/** Reads the next events after `after` that the endpoint wants, at most `limit`. */
export async function readNew(
  sql: Sql,
  { companyId, types }: Pick<EndpointRow, 'companyId' | 'types'>,
  after: number,
  limit: number,
): Promise<NewShipments> {
  const query = { after, limit, ...(!types.includes('*') && { types }) };
  const begun = performance.now();
  const { events, nextAfter, hasMore } = await readFeed(sql, companyId, query);
  const isSearch = hasMore && events.at(-1)?.id !== nextAfter;
  return {
    shipments: events.map(shipmentOfEvent),
    readTo: nextAfter,
    hasMore,
    searchedMs: isSearch ? performance.now() - begun : 0,
  };
}

/** Reads deliveries of the endpoint that are due, those that have been due longest first, at most `limit`. */
export async function readDue(
  sql: Sql,
  { companyId, id: endpointId }: EndpointKey,
  now: Date,
  limit: number,
): Promise<DueShipments> {
  const due = await sql.rows<DueRow>(
    `SELECT id, eventId, type, isReplay, attempts, createdAt FROM webhook_deliveries FORCE INDEX (webhook_deliveries_pending)
      WHERE status = 'pending' AND companyId = ? AND endpointId = ? AND nextAttemptAt <= ?
      ORDER BY nextAttemptAt, id LIMIT ?`,
    [companyId, endpointId, toSqlTime(now), limit],
  );
  const ids = [...new Set(due.flatMap(({ eventId }) => (eventId === null ? [] : [eventId])))];
  const { events, upTo } = await readEventsById(sql, companyId, ids, deliveries.batchBytes);
  const found = new Map(events.map((event) => [event.id, event]));
  // Events after `upTo` did not fit, and are read with the next batch.
  const shipments = due
    .filter(({ eventId }) => eventId === null || eventId <= upTo)
    .map((row) => shipmentOfRow(row, endpointId, row.eventId === null ? null : (found.get(row.eventId) ?? null)));
  return { shipments, hasMore: shipments.length < due.length || due.length === limit };
}
