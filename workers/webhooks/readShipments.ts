import { deliveries } from '../../config/queues';
import { type Sql, toSqlTime } from '../../shared/engine/db';
import { readEventsById, readFeed } from '../../shared/engine/events';
import { contentOf, shipmentOfEvent, shipmentOfRow, type DueRow, type Shipment } from './Shipment';
import type { EndpointKey, EndpointRow } from './endpointRow';

/** Deliveries of an endpoint that are due. */
export interface DueShipments {
  readonly shipments: Shipment[];
  readonly hasMore: boolean;
  /** Some of events that were never sent may be missing. They come before the events of the feed. */
  readonly isCut: boolean;
}

/** Events of the feed for an endpoint. */
export interface NewShipments {
  readonly shipments: Shipment[];
  /** The last event that was read. */
  readonly readTo: number;
  readonly hasMore: boolean;
  /** How long the read took, if it looked through many events and found too few for a batch; else 0. In milliseconds. */
  readonly searchedMs: number;
}

/** Events that a read looks through for each that it may find, so that a delivery costs MySQL little. */
const LOOKED_THROUGH = 100;

/** Reads the next events after `after` that the endpoint wants, at most `limit`. */
export async function readNew(
  sql: Sql,
  { companyId, types }: Pick<EndpointRow, 'companyId' | 'types'>,
  after: number,
  limit: number,
): Promise<NewShipments> {
  const filter = types.includes('*') ? {} : { types, lookThrough: LOOKED_THROUGH * limit };
  const begun = performance.now();
  const { events, nextAfter, hasMore } = await readFeed(sql, companyId, { after, limit, ...filter });
  const isSearch = hasMore && events.at(-1)?.id !== nextAfter;
  return {
    shipments: events.map(shipmentOfEvent),
    readTo: nextAfter,
    hasMore,
    searchedMs: isSearch ? performance.now() - begun : 0,
  };
}

/** Reads deliveries of the endpoint that are due, of at most `limit` events: those of events that were never sent, then those due longest. */
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
    [companyId, endpointId, toSqlTime(now), deliveries.batch],
  );
  const ids = [...new Set(due.flatMap(({ eventId }) => eventId ?? []))].slice(0, limit);
  const { events, upTo } = await readEventsById(sql, companyId, ids, deliveries.batchBytes);
  const found = new Map(events.map((event) => [event.id, contentOf(event)]));
  // Events after `upTo` did not fit, and are read with the next batch.
  const read = new Set(ids.filter((id) => id <= upTo));
  const isRead = ({ eventId }: DueRow): boolean => eventId === null || read.has(eventId);
  const left = due.filter((row) => !isRead(row));
  const isFull = due.length === deliveries.batch;
  const isNew = ({ eventId, attempts, isReplay }: DueRow): boolean => eventId !== null && attempts + isReplay === 0;
  return {
    shipments: due
      .filter(isRead)
      .map((row) => shipmentOfRow(row, endpointId, row.eventId === null ? null : (found.get(row.eventId) ?? null))),
    hasMore: left.length > 0 || isFull,
    isCut: (isFull ? [...left, ...due.slice(-1)] : left).some(isNew),
  };
}
