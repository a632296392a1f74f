import { deliveries } from '../../config/queues';
import { groupBy } from '../../shared/engine/records';
import type { DueShipments, NewShipments } from './readShipments';
import type { Shipment } from './Shipment';

/** The due deliveries of an endpoint, and the events of the feed after `position`. */
export interface ReadShipments {
  readonly due: DueShipments;
  readonly fresh: NewShipments;
  readonly position: number;
}

/** Shipments to be recorded together. */
export interface Taken {
  /** Events without a row, in the order of the feed. */
  readonly events: readonly Shipment[];
  /** Shipments with a row, whose attempt has ended. */
  readonly retries: readonly Shipment[];
  /**
   * The position in the feed after they are recorded: every event up to it that the endpoint wants has a row. Null: the position does not
   * change.
   */
  readonly to: number | null;
}

/**
 * The shipments that a turn read together. Those of one subject are sent in their order, so that without failures an endpoint receives
 * `invoice.created` before `invoice.sent`.
 */
export class Batch {
  /** More can be read. */
  readonly hasMore: boolean;
  /** As {@link NewShipments} has it. */
  readonly searchedMs: number;
  /** How many shipments the next batch may have, if they are as large as these. MySQL would send what does not fit, too. */
  readonly nextLimit: number;
  /** By subject: the shipments that can start now, each with its successors. */
  private readonly ready: Shipment[][];
  /** Events without a row, in the order of the feed. */
  private events: Shipment[];
  /** Shipments with a row, of which no attempt is recorded. */
  private rows: Shipment[];
  private readonly readTo: number;

  constructor({ due, fresh, position }: ReadShipments) {
    this.events = due.isCut ? [] : fresh.shipments;
    this.rows = [...due.shipments];
    const all = [...this.rows, ...this.events];
    this.ready = [...groupBy(all, ({ subject }) => subject).values()];
    this.readTo = due.isCut ? position : fresh.readTo;
    this.searchedMs = fresh.searchedMs;
    const messages = new Set(all.map(({ message }) => message));
    let bytes = 0;
    for (const message of messages) bytes += Buffer.byteLength(message?.body ?? '');
    const fitting = Math.floor((deliveries.batchBytes * messages.size) / bytes);
    this.nextLimit = bytes === 0 ? deliveries.batch : Math.max(1, Math.min(deliveries.batch, fitting));
    this.hasMore = fresh.hasMore || due.hasMore;
  }

  /** Starts the next shipment: runs `send` with it, then lets the next one of its subject start. Null if none can start now. */
  start(send: (shipment: Shipment) => Promise<void>): Promise<void> | null {
    const [shipment, ...others] = this.ready.shift() ?? [];
    if (shipment === undefined) return null;
    shipment.isStarted = true;
    return send(shipment).then(() => {
      if (others.length > 0) this.ready.unshift(others);
    });
  }

  /** Tests for something to record: a started event without a row, or an attempt that has ended. */
  get hasNews(): boolean {
    return this.events.some(({ isStarted }) => isStarted) || this.rows.some(({ attempt }) => attempt !== null);
  }

  /** Takes the shipments to record: the events up to the last started one, whether their attempts have ended or not. */
  take(): Taken {
    const events = this.events.splice(0, this.events.findLastIndex(({ isStarted }) => isStarted) + 1);
    const retries = this.rows.filter(({ attempt }) => attempt !== null);
    this.rows = this.rows.filter(({ attempt }) => attempt === null);
    return { events, retries, to: this.events.length === 0 ? this.readTo : (events.at(-1)?.eventId ?? null) };
  }

  /** Gives events that were recorded before they had ended their rows, by event. They may have ended meanwhile. */
  recorded(open: Iterable<Shipment>, rows: ReadonlyMap<number, number>): void {
    for (const shipment of open) {
      shipment.deliveryId = rows.get(shipment.eventId ?? 0) ?? null;
      if (shipment.deliveryId !== null) this.rows.push(shipment);
    }
  }
}
