import { insertRow, insertRows, type UnitOfWork } from '../engine/db';
import { Conflict, NotFound, ValidationFailed } from '../engine/errors';
import { isOneOfTypes, requireKept } from '../engine/events';
import { getDelivery, type WebhookDeliveryRecord } from './deliveries';

/** Of the feed: after `after`, up to and with `until`. */
export interface EventRange {
  after: number;
  until: number;
}

/** The type of what {@link sendTest} sends, which is in no feed. */
const TEST_TYPE = 'webhook.test';
/** Events of one transaction. */
const MAX_EVENTS = 10_000;
/** The most waiting deliveries of an endpoint with which a replay is accepted. */
const MAX_PENDING = 100_000;

/**
 * Records that the endpoint is to be sent a test.
 * @throws {NotFound}; {@link Conflict} as {@link replayRange} does.
 */
export async function sendTest(uow: UnitOfWork, endpointId: number): Promise<WebhookDeliveryRecord> {
  await lockEndpoint(uow, endpointId);
  return record(uow, endpointId, { eventId: null, type: TEST_TYPE, isReplay: false });
}

/**
 * Records that the event of a delivery is to be sent again, with the same `webhook-id`. A test is sent as a new test.
 * @throws {NotFound}; {@link Conflict} as {@link replayRange} does.
 */
export async function replayDelivery(
  uow: UnitOfWork,
  endpointId: number,
  deliveryId: number,
): Promise<WebhookDeliveryRecord> {
  await lockEndpoint(uow, endpointId);
  const { eventId, type } = await getDelivery(uow.sql, uow.companyId, endpointId, deliveryId);
  return record(uow, endpointId, { eventId, type, isReplay: true });
}

/**
 * Records that the endpoint is to be sent again the events of its types in this range, each with the same `webhook-id` as the first time.
 * Returns how many.
 * @throws {ValidationFailed} when the range is reversed, or has more than 10,000 events of all types; {@link NotFound}; {@link Conflict}
 * `webhook_endpoint_disabled`, `webhook_backlog_full`; 410 `events_removed`.
 */
export async function replayRange(uow: UnitOfWork, endpointId: number, { after, until }: EventRange): Promise<number> {
  const { companyId, sql, now } = uow;
  const { types } = await lockEndpoint(uow, endpointId);
  await requireKept({ sql, now }, companyId, after);
  const events = await sql.rows<{ seq: number; type: string }>(
    `SELECT seq, type FROM events FORCE INDEX (events_feed)
      WHERE companyId = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${MAX_EVENTS + 1}`,
    [companyId, after, until],
  );
  if (events.length > MAX_EVENTS) throw tooMany(events[MAX_EVENTS - 1]?.seq ?? after);
  const replayed = events.filter(({ type }) => isOneOfTypes(types, type));
  const common = { status: 'pending', nextAttemptAt: now, createdAt: now };
  const rows = replayed.map(({ seq, type }) => ({
    companyId,
    endpointId,
    eventId: seq,
    type,
    isReplay: true,
    ...common,
  }));
  await insertRows(sql, 'webhook_deliveries', rows);
  if (rows.length > 0) uow.dueEndpoints.push({ companyId, endpointId });
  return rows.length;
}

/** Checks a range without reading any record. @throws {ValidationFailed} when it is reversed. */
export function checkRange({ after, until }: EventRange): void {
  if (until < after) throw ValidationFailed.at('until', 'must not be before after');
}

async function record(
  uow: UnitOfWork,
  endpointId: number,
  what: { eventId: number | null; type: string; isReplay: boolean },
): Promise<WebhookDeliveryRecord> {
  const { companyId, sql, now } = uow;
  const row = { companyId, endpointId, ...what, status: 'pending', nextAttemptAt: now, createdAt: now };
  const id = await insertRow(sql, 'webhook_deliveries', row);
  uow.dueEndpoints.push({ companyId, endpointId });
  return getDelivery(sql, companyId, endpointId, id);
}

/**
 * Returns the types of an enabled endpoint that has room for more deliveries. The endpoint stays locked until the commit: it cannot be
 * disabled or deleted meanwhile, so no delivery stays pending for ever.
 */
async function lockEndpoint({ sql, companyId }: UnitOfWork, endpointId: number): Promise<{ types: string[] }> {
  const [endpoint] = await sql.rows<{ types: string; enabled: 0 | 1 }>(
    'SELECT types, enabled FROM webhook_endpoints WHERE companyId = ? AND id = ? AND softDelete = 0 FOR UPDATE',
    [companyId, endpointId],
  );
  if (endpoint === undefined) throw new NotFound('webhook endpoint');
  if (endpoint.enabled === 0) {
    throw new Conflict('webhook_endpoint_disabled', 'the webhook endpoint is disabled: it is sent nothing');
  }
  // Found on an index alone.
  const [further] = await sql.rows(
    `SELECT id FROM webhook_deliveries WHERE companyId = ? AND endpointId = ? AND status = 'pending'
      LIMIT 1 OFFSET ${MAX_PENDING}`,
    [companyId, endpointId],
  );
  if (further !== undefined) {
    throw new Conflict(
      'webhook_backlog_full',
      `more than ${MAX_PENDING} deliveries of the endpoint are pending already`,
    );
  }
  return { types: JSON.parse(endpoint.types) as string[] };
}

function tooMany(lastThatFits: number): ValidationFailed {
  return ValidationFailed.at(
    'until',
    `must be at most ${lastThatFits}, because the range has more than ${MAX_EVENTS} events: continue after it with another request`,
  );
}
