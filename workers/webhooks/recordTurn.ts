import { insertRows, type NewRow, putRows, toSqlTime, type UnitOfWork } from '../../shared/engine/db';
import { recordEvent } from '../../shared/engine/events';
import {
  webhookEndpointEvents,
  webhookEndpointFacts,
  type DeliveryError,
  type DisabledReason,
} from '../../shared/webhooks';
import { LeaseLost } from '../jobs/JobRun';
import { leaseEnd } from '../jobs/jobRow';
import type { EndpointRunId } from '../jobs/LeaseConnection';
import { outcomeOf } from './outcomes';
import type { Shipment } from './Shipment';

/** Recent failures of an endpoint. */
export interface Health {
  /** Failed attempts since the last success. */
  failures: number;
  failingSince: Date | null;
}

/** A part of a turn, to be recorded together. */
export interface TurnRecord {
  /** The position before and after this record: every event up to `to` that the endpoint wants has a row. */
  readonly from: number;
  readonly to: number;
  readonly health: Health;
  /** Events that have no row yet, in the order of the feed. */
  readonly events: readonly Shipment[];
  /** Shipments with a row, whose attempt has ended. */
  readonly retries: readonly Shipment[];
  /** Disables the endpoint. */
  readonly disable: DisabledReason | null;
  /** The turn ends with this record. */
  readonly isLast: boolean;
}

export interface RecordedTurn {
  /** False: nothing more may be sent to the endpoint, and its pending deliveries are to be ended. */
  readonly isEnabled: boolean;
  /** The rows of events whose attempt has not ended, by event. */
  readonly rows: ReadonlyMap<number, number>;
}

/**
 * Records a part of a turn in one transaction: first the endpoint, whose row stays locked, then the deliveries. May be repeated after
 * a commit whose confirmation was lost.
 * @throws {LeaseLost} when another process has claimed the endpoint.
 */
export async function recordTurn(uow: UnitOfWork, turn: EndpointRunId, record: TurnRecord): Promise<RecordedTurn> {
  const { isEnabled, isRepeated } = await recordEndpoint(uow, turn, record);
  const rowOf = (shipment: Shipment): NewRow => {
    // An attempt in progress is recorded when it has ended, also for an endpoint that was disabled meanwhile.
    const isOpen = shipment.isStarted && shipment.attempt === null && !record.isLast;
    return deliveryRow(shipment, turn, uow.now, isEnabled || isOpen);
  };
  const firstId = isRepeated ? 0 : await insertRows(uow.sql, 'webhook_deliveries', record.events.map(rowOf));
  const retried = record.retries.map((shipment) => ({ id: shipment.deliveryId, ...rowOf(shipment) }));
  await putRows(uow.sql, 'webhook_deliveries', retried, changing);
  const anyOpen = !record.isLast && record.events.some(({ attempt }) => attempt === null);
  return { isEnabled, rows: anyOpen ? await openRows(uow, turn, firstId, record.events.length) : new Map() };
}

interface RecordedEndpoint {
  isEnabled: boolean;
  /** The events have their rows already. */
  isRepeated: boolean;
}

async function recordEndpoint(uow: UnitOfWork, turn: EndpointRunId, record: TurnRecord): Promise<RecordedEndpoint> {
  const { sql, now } = uow;
  const { companyId, id, run } = turn;
  const { from, to, disable, isLast } = record;
  const { failures, failingSince } = record.health;
  const leaseUntil = isLast ? null : toSqlTime(leaseEnd(now));
  const values = [to, failures, failingSince && toSqlTime(failingSince), leaseUntil, companyId, id, run];
  const change = `UPDATE webhook_endpoints SET position = ?, failures = ?, failingSince = ?, leaseUntil = ?
    WHERE companyId = ? AND id = ? AND run = ?`;
  if (disable === null) {
    const text = `${change} AND position = ? AND enabled = 1 AND softDelete = 0`;
    const { affectedRows } = await sql.run(text, [...values, from]);
    if (affectedRows === 1) return { isEnabled: true, isRepeated: false };
  }
  // Rare: the endpoint is to be disabled, was disabled meanwhile, belongs to another turn, or all of this is recorded.
  const [own] = await sql.rows<OwnRow>(
    `SELECT position, types, description, enabled = 1 AND softDelete = 0 AS isEnabled FROM webhook_endpoints
      WHERE companyId = ? AND id = ? AND run = ? FOR UPDATE`,
    [companyId, id, run],
  );
  if (own === undefined) throw new LeaseLost();
  await sql.run(change, values);
  const isEnabled = own.isEnabled === 1;
  if (isEnabled && disable !== null) await disableEndpoint(uow, turn, own, { reason: disable, failingSince });
  return { isEnabled: isEnabled && disable === null, isRepeated: own.position === to && to !== from };
}

interface OwnRow {
  position: number;
  types: string;
  description: string;
  isEnabled: number;
}

async function disableEndpoint(
  uow: UnitOfWork,
  { companyId, id }: EndpointRunId,
  { types, description }: OwnRow,
  { reason, failingSince }: { reason: DisabledReason; failingSince: Date | null },
): Promise<void> {
  await uow.sql.run(
    'UPDATE webhook_endpoints SET enabled = 0, disabledReason = ?, updatedAt = ? WHERE companyId = ? AND id = ?',
    [reason, toSqlTime(uow.now), companyId, id],
  );
  const facts = webhookEndpointFacts({ types, description, enabled: false });
  if (reason === 'gone') return recordEvent(uow, webhookEndpointEvents.disabled, id, facts);
  const since = (failingSince ?? uow.now).toISOString();
  return recordEvent(uow, webhookEndpointEvents.paused, id, { ...facts, failingSince: since });
}

/** The error of deliveries to a disabled endpoint. */
const DISABLED: DeliveryError = 'endpoint_disabled';

/** The columns that an attempt changes. */
const changing = [
  ...['status', 'attempts', 'nextAttemptAt', 'responseStatus', 'responseBody', 'errorCode', 'durationMs', 'endedAt'],
] as const;

/** `isContinued`: the delivery may have further attempts. */
function deliveryRow(shipment: Shipment, { companyId, id }: EndpointRunId, now: Date, isContinued: boolean): NewRow {
  const { attempt, message } = shipment;
  const { status, retryInMs } = attempt === null ? waiting : outcomeOf(shipment, attempt);
  const isEnded = status !== 'pending' || !isContinued;
  return {
    companyId,
    endpointId: id,
    eventId: shipment.eventId,
    type: shipment.type,
    isReplay: shipment.isReplay,
    status: isEnded && status === 'pending' ? 'failed' : status,
    // A removed event was not sent.
    attempts: shipment.attempts + (attempt === null || message === null ? 0 : 1),
    nextAttemptAt: isEnded ? null : new Date(now.getTime() + (retryInMs ?? 0)),
    responseStatus: attempt?.status ?? null,
    responseBody: attempt?.responseBody ?? null,
    errorCode: attempt === null ? (isContinued ? null : DISABLED) : attempt.error,
    durationMs: attempt?.durationMs ?? null,
    createdAt: shipment.createdAt ?? now,
    endedAt: isEnded ? now : null,
  };
}

/**
 * An event without an attempt is sent before all replays and retries that are due, so that a record's later events do not overtake it: if
 * not in this turn, then first in the next one.
 */
const waiting = { status: 'pending', retryInMs: -10 * 365 * 24 * 3_600_000 } as const;

/** The newest rows of the endpoint's events, from an id on. Only the turn of an endpoint inserts them. */
async function openRows(
  { sql }: UnitOfWork,
  { companyId, id }: EndpointRunId,
  firstId: number,
  count: number,
): Promise<Map<number, number>> {
  const rows = await sql.rows<{ id: number; eventId: number }>(
    `SELECT id, eventId FROM webhook_deliveries FORCE INDEX (webhook_deliveries_by_endpoint)
      WHERE companyId = ? AND endpointId = ? AND id >= ? AND status = 'pending' AND isReplay = 0 AND eventId IS NOT NULL
      ORDER BY id DESC LIMIT ?`,
    [companyId, id, firstId, count],
  );
  return new Map(rows.map((row) => [row.eventId, row.id]));
}
