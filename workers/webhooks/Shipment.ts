import { type FeedEvent, feedEventJson } from '../../shared/engine/events';
import { toIsoTime } from '../../shared/engine/db';
import type { Attempt } from './WebhookSender';

/** The content of one delivery. */
export interface Message {
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

/** One delivery in a turn of its endpoint: of an event that has no row yet, or of a row that is due. */
export interface Shipment {
  /** The row; null for an event until it is recorded. */
  deliveryId: number | null;
  /** Null for a test. */
  readonly eventId: number | null;
  readonly type: string;
  readonly isReplay: boolean;
  /** The number of recorded attempts. */
  readonly attempts: number;
  /** When the row was recorded, as MySQL writes it; null if it is not. */
  readonly createdAt: string | null;
  /** Shipments of one subject are sent one after the other. */
  readonly subject: string;
  /** Null: the event was removed. */
  readonly message: Message | null;
  isStarted: boolean;
  /** How the attempt of this turn ended; null if it has not. */
  attempt: Attempt | null;
}

/** The stored columns of a delivery that is due. */
export interface DueRow {
  id: number;
  eventId: number | null;
  type: string;
  isReplay: number;
  attempts: number;
  createdAt: string;
}

/** What all deliveries of an event have in common. */
export interface EventContent {
  readonly subject: string;
  readonly message: Message;
}

/** Returns what the deliveries of the event have in common: made once, because its body may be large. */
export const contentOf = (event: FeedEvent): EventContent => ({
  subject: `${event.subjectType}:${event.subjectId}`,
  message: { id: `evt_${event.id}`, body: bodyOf(event.type, event.createdAt, feedEventJson(event)) },
});

/** The delivery of an event that has no row yet. */
export function shipmentOfEvent(event: FeedEvent): Shipment {
  return {
    ...contentOf(event),
    deliveryId: null,
    eventId: event.id,
    type: event.type,
    isReplay: false,
    attempts: 0,
    createdAt: null,
    isStarted: false,
    attempt: null,
  };
}

/** The next attempt of a recorded delivery; `content` is null for a test and for a removed event. */
export function shipmentOfRow(row: DueRow, endpointId: number, content: EventContent | null): Shipment {
  const message = row.eventId === null ? testMessage(row, endpointId) : (content?.message ?? null);
  return {
    deliveryId: row.id,
    eventId: row.eventId,
    type: row.type,
    isReplay: row.isReplay === 1,
    attempts: row.attempts,
    createdAt: row.createdAt,
    subject: content?.subject ?? `delivery:${row.id}`,
    message,
    isStarted: false,
    attempt: null,
  };
}

/** A test looks like an event that is not in the feed. */
function testMessage({ id, type, createdAt }: DueRow, endpointId: number): Message {
  const event = {
    id: null,
    type,
    createdAt: toIsoTime(createdAt),
    actor: null,
    requestId: null,
    subject: { type: 'webhook_endpoint', id: endpointId },
    data: {},
  };
  return { id: `test_${id}`, body: bodyOf(type, createdAt, JSON.stringify(event)) };
}

const bodyOf = (type: string, createdAt: string, event: string): string =>
  `{"type":"${type}","timestamp":"${toIsoTime(createdAt)}","data":${event}}`;
