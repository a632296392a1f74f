import { deliveries } from '../../config/queues';
import type { Shipment } from './Shipment';
import type { Attempt } from './WebhookSender';

/** Shipments to be recorded together. */
export interface Taken {
  /** Events without a row, in the order of the feed. */
  readonly events: readonly Shipment[];
  /** Shipments with a row, whose attempt has ended. */
  readonly retries: readonly Shipment[];
}

/**
 * The shipments of one turn: which is sent next, and which are to be recorded. Those of one subject are sent one after the other in
 * their order, so that an endpoint that responds well sees `invoice.created` before `invoice.sent`.
 */
export class ShipmentLine {
  /** Rows that were read in this turn. */
  readonly known = new Set<number>();
  /** How many attempts were started. */
  started = 0;
  inFlight = 0;
  /** May start now. */
  private ready: Shipment[] = [];
  /** By subject, what follows the shipment that is ready or in flight. */
  private readonly following = new Map<string, Shipment[]>();
  private waiting = 0;
  /** Events that are not recorded, in the order of the feed; the first `endedEvents` of them have ended. */
  private events: Shipment[] = [];
  private endedEvents = 0;
  private endedRetries: Shipment[] = [];
  /** Since when something waits to be recorded, by `performance.now()`. */
  private waitsSince: number | null = null;

  /** Adds shipments behind those that are there. */
  add(shipments: readonly Shipment[]): void {
    for (const shipment of shipments) {
      if (shipment.deliveryId === null) this.events.push(shipment);
      else this.known.add(shipment.deliveryId);
      this.waiting += 1;
      const others = this.following.get(shipment.subject);
      if (others !== undefined) others.push(shipment);
      else {
        this.following.set(shipment.subject, []);
        this.ready.push(shipment);
      }
    }
  }

  /** How many have not been started. */
  get unstarted(): number {
    return this.waiting;
  }

  /** Starts the next shipment; null if none can start now. */
  start(): Shipment | null {
    const shipment = this.ready.shift();
    if (shipment === undefined) return null;
    shipment.isStarted = true;
    this.waiting -= 1;
    this.started += 1;
    this.inFlight += 1;
    if (shipment.deliveryId === null) this.waitsSince ??= performance.now();
    return shipment;
  }

  /** Ends an attempt; `attempt` is null if it was aborted. */
  end(shipment: Shipment, attempt: Attempt | null): void {
    this.inFlight -= 1;
    shipment.attempt = attempt;
    if (shipment.deliveryId !== null) this.endRetry(shipment);
    const next = this.following.get(shipment.subject)?.shift();
    if (next === undefined) this.following.delete(shipment.subject);
    else this.ready.unshift(next);
  }

  /** Whether a full statement can be recorded. */
  get isFull(): boolean {
    this.countEnded();
    return Math.max(this.endedEvents, this.endedRetries.length) >= deliveries.batch;
  }

  /** Milliseconds until something has waited for long enough to be recorded; null if nothing waits. */
  get dueInMs(): number | null {
    return this.waitsSince === null ? null : this.waitsSince + deliveries.recordEveryMs - performance.now();
  }

  /** Takes what has ended; with `withOpen` also the events whose attempts have not, up to the last one that was started. */
  take(withOpen: boolean): Taken {
    this.countEnded();
    const { events, endedRetries: retries } = this;
    const count = withOpen ? events.findLastIndex(({ isStarted }) => isStarted) + 1 : this.endedEvents;
    this.events = events.slice(count);
    this.endedEvents = 0;
    this.endedRetries = [];
    this.waitsSince = this.events.some(({ isStarted }) => isStarted) ? performance.now() : null;
    return { events: events.slice(0, count), retries };
  }

  /** Gives events that were taken before they had ended their rows, by event. They may have ended meanwhile. */
  recorded(open: Iterable<Shipment>, rows: ReadonlyMap<number, number>): void {
    for (const shipment of open) {
      const row = rows.get(shipment.eventId ?? 0);
      if (row === undefined) continue;
      shipment.deliveryId = row;
      this.known.add(row);
      if (shipment.attempt !== null) this.endRetry(shipment);
    }
  }

  /** Whether every event that was added is taken. */
  get isTaken(): boolean {
    return this.events.length === 0;
  }

  private countEnded(): void {
    while ((this.events[this.endedEvents]?.attempt ?? null) !== null) this.endedEvents += 1;
  }

  private endRetry(shipment: Shipment): void {
    // An aborted attempt changes nothing.
    if (shipment.attempt === null) return;
    this.endedRetries.push(shipment);
    this.waitsSince ??= performance.now();
  }
}
