import type { KeyObject } from 'node:crypto';
import { deliveries, queues } from '../../config/queues';
import { metrics } from '../../shared/engine/metrics';
import { signingSecrets, type DisabledReason } from '../../shared/webhooks';
import { LeaseLost, type Tools } from '../jobs/JobRun';
import { Lease } from '../jobs/Lease';
import type { EndpointRunId } from '../jobs/LeaseConnection';
import type { QueueEntry } from '../jobs/ServedQueue';
import { untilRecorded } from '../jobs/untilRecorded';
import { readEndpoint, type EndpointRow } from './endpointRow';
import { GONE, isSuccess, outcomeOf } from './outcomes';
import { readDue, readNew, type NewShipments } from './readShipments';
import { recordTurn, type Health, type TurnRecord } from './recordTurn';
import type { Shipment } from './Shipment';
import { ShipmentLine } from './ShipmentLine';
import { signingKey } from './signatures';
import type { Attempt } from './WebhookSender';

/** What a turn has of its entry: `draining` starts nothing more, `stopping` aborts the requests that are on their way. */
export type TurnEntry = Pick<QueueEntry, 'loop' | 'draining' | 'stopping'>;

/** What was read for an endpoint. */
export interface ReadShipments {
  readonly due: readonly Shipment[];
  readonly fresh: NewShipments;
}

type TurnTools = Pick<Tools, 'services' | 'leases' | 'sender'>;

/** The endpoint as the next requests go to it. */
interface Target {
  readonly row: EndpointRow;
  readonly url: URL;
  readonly keys: readonly KeyObject[];
}

/** The attempt of a delivery whose event is no longer there. */
const missing: Attempt = { status: null, responseBody: null, error: 'event_missing', durationMs: 0 };

/**
 * One claimed turn of an endpoint: sends the deliveries that are due and what follows in the feed, until nothing is left or it is
 * the turn of others.
 *
 * Reading, sending and recording run side by side. Outcomes are recorded together with the position in the feed, so a process that
 * dies sends what it has not recorded again: at least once, with the same `webhook-id`.
 */
export class EndpointTurn {
  private readonly line = new ShipmentLine();
  private readonly lease: Lease;
  private readonly aborted: AbortSignal;
  private readonly health: Health;
  private readonly startedAt = performance.now();
  private target: Target;
  /** The newest event that was read. */
  private readTo: number;
  /** Up to here the events have rows. */
  private position: number;
  private isDry = false;
  private isNudged = false;
  private isEnabled = true;
  private disable: DisabledReason | null = null;
  /** Reading or recording, one at a time: a read would find the rows of events that are being recorded. */
  private isBusy = false;
  private failure: { error: unknown } | null = null;
  /** Outcomes could not be recorded: the position must not move past them. */
  private isBroken = false;
  private timer: NodeJS.Timeout | undefined;
  private hasChanged = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly tools: TurnTools,
    row: EndpointRow,
    private readonly turn: EndpointRunId,
    private readonly entry: TurnEntry,
  ) {
    this.target = targetOf(tools, row);
    this.health = { failures: row.failures, failingSince: row.failingSince };
    this.readTo = this.position = row.position;
    this.lease = new Lease(tools.services, (until) => tools.leases.renewEndpoint(turn, until));
    this.aborted = AbortSignal.any([entry.stopping, this.lease.lost]);
  }

  /** There may be more to send: the turn looks again before it ends. */
  nudge(): void {
    this.isNudged = true;
    this.isDry = false;
    this.change();
  }

  /**
   * Runs the turn to its end, and releases the endpoint. Returns whether the endpoint is still enabled.
   * @throws {LeaseLost} when another process has claimed the endpoint; what MySQL or the keys of the secrets fail with.
   */
  async run(first: ReadShipments): Promise<boolean> {
    try {
      this.add(first);
      for (;;) {
        this.proceed();
        if (this.isDone) break;
        await this.nextChange();
      }
      this.lease.lost.throwIfAborted();
      if (!this.isBroken) await this.record(true);
      if (this.failure !== null) throw this.failure.error;
      return this.isEnabled;
    } finally {
      clearTimeout(this.timer);
      this.lease.release();
    }
  }

  /** Nothing more is started. */
  private get isOver(): boolean {
    return (
      !this.isEnabled ||
      this.disable !== null ||
      this.failure !== null ||
      this.aborted.aborted ||
      this.entry.draining.aborted ||
      this.line.started >= deliveries.turnEvents ||
      performance.now() - this.startedAt >= deliveries.turnMs
    );
  }

  private get isDone(): boolean {
    if (this.line.inFlight > 0 || this.isBusy) return false;
    return this.isOver || (this.isDry && this.line.unstarted === 0);
  }

  private proceed(): void {
    const limit = this.health.failures >= deliveries.suspectAfter ? 1 : deliveries.inFlight;
    while (this.line.inFlight < limit && !this.isOver) {
      const shipment = this.line.start();
      if (shipment === null) break;
      void this.send(shipment);
    }
    if (this.isBusy || this.failure !== null) return;
    if (this.line.isFull || (this.line.dueInMs ?? 1) <= 0) this.beside(this.record(false));
    else if (!this.isOver && !this.isDry && this.line.unstarted < deliveries.batch) this.beside(this.read());
    this.recordLater();
  }

  /** Lets work run beside the requests. */
  private beside(work: Promise<void>): void {
    this.isBusy = true;
    void work
      .catch((error: unknown) => void (this.failure ??= { error }))
      .finally(() => {
        this.isBusy = false;
        this.change();
      });
  }

  private async send(shipment: Shipment): Promise<void> {
    const { message } = shipment;
    const { url, keys } = this.target;
    const attempt =
      message &&
      (await this.entry.loop.run(this.turn.companyId, queues.webhook.costMs, () =>
        this.tools.sender.send({ url, keys, ...message }, this.aborted),
      ));
    if (attempt !== null) this.note(attempt);
    this.line.end(shipment, message === null ? missing : attempt);
    this.change();
  }

  private note(attempt: Attempt): void {
    const { health } = this;
    if (isSuccess(attempt)) {
      health.failures = 0;
      health.failingSince = null;
      return;
    }
    const now = this.tools.services.clock.now();
    health.failures += 1;
    health.failingSince ??= now;
    if (attempt.status === GONE) this.disable = 'gone';
    else if (now.getTime() - health.failingSince.getTime() >= deliveries.pauseAfterMs) this.disable ??= 'failing';
  }

  /** Reads what follows, and whether and how it may be sent. */
  private async read(): Promise<void> {
    const { sql, clock } = this.tools.services;
    this.isNudged = false;
    const [row, due, fresh] = await Promise.all([
      readEndpoint(sql, this.turn),
      readDue(sql, this.turn, this.line.known, clock.now()),
      readNew(sql, this.target.row, this.readTo),
    ]);
    if (row?.run !== this.turn.run) throw new LeaseLost();
    this.isEnabled = row.isEnabled;
    if (!row.isEnabled) return;
    this.target = targetOf(this.tools, row);
    this.add({ due, fresh });
  }

  private add({ due, fresh }: ReadShipments): void {
    this.line.add(due);
    this.line.add(fresh.shipments);
    this.readTo = fresh.readTo;
    this.isDry = !this.isNudged && !fresh.hasMore && due.length < deliveries.batch;
  }

  /** Records what has ended. After some time, and in the end, also that other attempts were begun. */
  private async record(isLast: boolean): Promise<void> {
    const { services } = this.tools;
    const { events, retries } = this.line.take(isLast || (this.line.dueInMs ?? 1) <= 0);
    const open = events.filter(({ attempt }) => attempt === null);
    const { position: from } = this;
    const to = this.line.isTaken ? this.readTo : (events[events.length - 1]?.eventId ?? from);
    const record: TurnRecord = {
      ...{ from, to, isLast },
      disable: this.disable,
      health: { ...this.health },
      // As they are now: they may end while they are being recorded.
      events: events.map((shipment) => ({ ...shipment })),
      retries,
    };
    this.isBroken = true;
    const recorded = await untilRecorded(services.log, this.lease, this.entry.stopping, () =>
      services.perform({ companyId: this.turn.companyId, actor: 'webhooks' }, (uow) =>
        recordTurn(uow, this.turn, record),
      ),
    );
    this.isBroken = false;
    this.position = to;
    this.line.recorded(open, recorded.rows);
    if (!recorded.isEnabled) this.isEnabled = false;
    for (const shipment of [...record.events, ...retries]) count(shipment, recorded.isEnabled);
  }

  private change(): void {
    this.hasChanged = true;
    this.wake();
  }

  private async nextChange(): Promise<void> {
    if (!this.hasChanged) await new Promise<void>((resolve) => (this.wake = resolve));
    this.hasChanged = false;
  }

  private recordLater(): void {
    const inMs = this.line.dueInMs;
    if (inMs === null || this.timer !== undefined) return;
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.change();
      },
      Math.max(0, inMs),
    );
  }
}

function targetOf({ services }: TurnTools, row: EndpointRow): Target {
  const secrets = signingSecrets(services.secrets, row, services.clock.now());
  return { row, url: new URL(row.url), keys: secrets.map(signingKey) };
}

function count(shipment: Shipment, isEnabled: boolean): void {
  if (shipment.attempt === null) return;
  const { status } = outcomeOf(shipment, shipment.attempt);
  metrics.webhookDeliveries.add(status !== 'pending' ? status : isEnabled ? 'retried' : 'failed');
}
