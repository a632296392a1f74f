import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliveries, queues } from '../../config/queues';
import { metrics } from '../../shared/engine/metrics';
import { signingSecrets, type DisabledReason } from '../../shared/webhooks';
import { LeaseLost, type Tools } from '../jobs/JobRun';
import { Lease } from '../jobs/Lease';
import type { EndpointRunId } from '../jobs/LeaseConnection';
import type { QueueEntry } from '../jobs/ServedQueue';
import { untilRecorded } from '../jobs/untilRecorded';
import { Batch, type ReadShipments } from './Batch';
import { readEndpoint, type EndpointRow } from './endpointRow';
import { GONE, isSuccess, outcomeOf } from './outcomes';
import { readDue, readNew } from './readShipments';
import { recordTurn, type Health, type TurnRecord } from './recordTurn';
import type { Shipment } from './Shipment';
import { signingKey } from './signatures';
import type { Attempt } from './WebhookSender';

/** The signals of an entry: `draining` starts nothing more, `stopping` aborts the requests in progress. */
export type TurnEntry = Pick<QueueEntry, 'loop' | 'draining' | 'stopping'>;

/** What serves endpoints. */
export type TurnTools = Pick<Tools, 'services' | 'leases' | 'sender'>;

/** The endpoint of the next requests. */
interface Target {
  readonly row: EndpointRow;
  readonly url: URL;
  readonly keys: readonly KeyObject[];
}

/** The attempt of a delivery whose event was removed. */
const missing: Attempt = { status: null, responseBody: null, error: 'event_missing', durationMs: 0 };

/**
 * One claimed turn of an endpoint: reads deliveries that are due or follow in the feed, at most 100, sends up to ten at the same time, records
 * all, and repeats that until nothing is left or other endpoints wait.
 *
 * Outcomes are recorded together with the position in the feed, so a process that dies sends what it has not recorded again: at least once,
 * with the same `webhook-id`.
 */
export class EndpointTurn {
  private readonly lease: Lease;
  private readonly health: Health;
  private readonly startedAt = performance.now();
  private target: Target;
  /** Up to here the events have rows. */
  private position: number;
  private started = 0;
  private isNudged = false;
  private isEnabled = true;
  private disable: DisabledReason | null = null;

  constructor(
    private readonly tools: TurnTools,
    row: EndpointRow,
    private readonly turn: EndpointRunId,
    private readonly entry: TurnEntry,
    /** By `performance.now()`, before the claim's statement was sent. */
    claimedAt: number,
    /** Gives MySQL to others for a multiple of the time, and ends when the process stops. */
    private readonly rest: (workedMs: number) => Promise<void>,
  ) {
    this.target = targetOf(tools, row);
    this.health = { failures: row.failures, failingSince: row.failingSince };
    this.position = row.position;
    this.lease = new Lease(
      tools.services,
      (until) => tools.leases.renewEndpoint(turn, until),
      entry.stopping,
      claimedAt,
    );
  }

  /** True when there may be more to send: the turn then reads again before it ends. */
  nudge(): void {
    this.isNudged = true;
  }

  /**
   * Runs the turn to its end, and releases the endpoint. Returns whether the endpoint is still enabled.
   * @throws {LeaseLost} when another process has claimed the endpoint; errors of MySQL and of decryption: then the endpoint is free when
   * its lease has lapsed.
   */
  async run(first: ReadShipments): Promise<boolean> {
    try {
      for (let batch = new Batch(first); ; batch = await this.read(batch.nextLimit)) {
        await this.send(batch);
        if (batch.searchedMs > 0 && this.disable === null && !this.lease.aborted.aborted) {
          if (batch.hasNews) await this.record(batch, false);
          await this.rest(batch.searchedMs);
        }
        const isLast = this.isOver || !(batch.hasMore || this.isNudged);
        await this.record(batch, isLast);
        if (isLast) return this.isEnabled;
      }
    } finally {
      this.lease.release();
    }
  }

  /** Nothing more is started. */
  private get isOver(): boolean {
    return (
      !this.isEnabled ||
      this.disable !== null ||
      this.lease.aborted.aborted ||
      this.entry.draining.aborted ||
      this.started >= deliveries.turnEvents ||
      performance.now() - this.startedAt >= deliveries.turnMs
    );
  }

  /** Reads the next batch, and whether and how it may be sent. */
  private async read(limit: number): Promise<Batch> {
    const { sql, clock } = this.tools.services;
    this.isNudged = false;
    const [row, due, fresh] = await Promise.all([
      readEndpoint(sql, this.turn),
      readDue(sql, this.turn, clock.now(), limit),
      readNew(sql, this.target.row, this.position, limit),
    ]);
    if (row?.run !== this.turn.run) throw new LeaseLost();
    this.isEnabled = row.isEnabled;
    if (row.isEnabled) this.target = targetOf(this.tools, row);
    return new Batch({ due, fresh, position: this.position });
  }

  /** Sends a batch. Records its state every `recordEveryMs`, also which attempts were started. */
  private async send(batch: Batch): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    const pause = (): Promise<void> => sleep(deliveries.recordEveryMs, undefined, { ref: false });
    let isDue = false;
    const becomesDue = (): Promise<void> => pause().then(() => void (isDue = true));
    let due = becomesDue();
    try {
      for (;;) {
        const limit = this.health.failures >= deliveries.suspectAfter ? 1 : deliveries.inFlight;
        while (inFlight.size < limit && !this.isOver) {
          const started = batch.start((shipment) => this.attempt(shipment));
          if (started === null) break;
          const sending = started.finally(() => inFlight.delete(sending));
          inFlight.add(sending);
        }
        if (inFlight.size === 0) return;
        await Promise.race([...inFlight, due]);
        if (!isDue) continue;
        if (batch.hasNews) await this.record(batch, false);
        isDue = false;
        due = becomesDue();
      }
    } finally {
      await Promise.all(inFlight);
    }
  }

  private async attempt(shipment: Shipment): Promise<void> {
    const { message } = shipment;
    const { url, keys } = this.target;
    const { companyId } = this.turn;
    const { loop } = this.entry;
    const charge = (ms: number): void => loop.charge(companyId, ms);
    this.started += 1;
    const attempt =
      message &&
      (await loop.run(companyId, queues.webhook.costMs, () =>
        this.tools.sender.send({ companyId, url, keys, charge, ...message }, this.lease.aborted),
      ));
    if (attempt !== null) this.note(attempt);
    shipment.attempt = message === null ? missing : attempt;
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

  private async record(batch: Batch, isLast: boolean): Promise<void> {
    this.lease.throwIfLost();
    const { services } = this.tools;
    const { events, retries, to } = batch.take();
    const open = events.filter(({ attempt }) => attempt === null);
    const record: TurnRecord = {
      ...{ from: this.position, to: to ?? this.position, isLast },
      disable: this.disable,
      health: { ...this.health },
      // A snapshot: attempts may end while they are being recorded.
      events: events.map((shipment) => ({ ...shipment })),
      retries,
    };
    const recorded = await untilRecorded(services.log, this.lease, this.entry.stopping, async () => {
      const sentAt = performance.now();
      const scope = { companyId: this.turn.companyId, actor: 'webhooks' };
      const done = await services.perform(scope, (uow) => recordTurn(uow, this.turn, record));
      // A renewal beside the next record would find the row locked.
      this.lease.renewedBy(sentAt);
      return done;
    });
    this.position = record.to;
    batch.recorded(open, recorded.rows);
    if (!recorded.isEnabled) this.isEnabled = false;
    for (const shipment of [...record.events, ...retries]) count(shipment, recorded.isEnabled);
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
