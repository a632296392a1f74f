import { deliveries } from '../../config/queues';
import type { EndpointRef } from '../../shared/engine/db';
import { FairSlots } from '../../shared/engine/fair';
import { OccasionalWarning, untilRepaired } from '../../shared/engine/log';
import { endDeliveries, wakeEndpoint } from '../../shared/webhooks';
import { LeaseLost, type Tools } from '../jobs/JobRun';
import type { EntryOutcome, QueueEntry } from '../jobs/ServedQueue';
import { claimEndpoint, hasWork, readEndpoint, type EndpointKey, type EndpointRow } from './endpointRow';
import { EndpointTurn, type TurnEntry } from './EndpointTurn';
import { readDue, readNew } from './readShipments';

/** How long an entry is put off of whose company too many endpoints wait already. */
const PUT_OFF_MS = 1_000;
/** What a company gets of few slots while all of them are free. */
const LEAST_SLOTS = 2;

type DispatcherTools = Pick<Tools, 'services' | 'leases' | 'sender'>;

/** Serves webhook endpoints: one turn for each entry of the queue, one turn of an endpoint at a time. */
export class Dispatcher {
  /** By endpoint. */
  private readonly turns = new Map<number, EndpointTurn>();
  /** The endpoints that wait for a slot. */
  private readonly waiting = new Set<number>();
  /** The endpoints of which an entry is put off: further ones would only be put off with it. */
  private readonly putOff = new Set<number>();
  private readonly slots: FairSlots;
  private readonly failing: OccasionalWarning;
  private followed: AbortSignal | undefined;

  /** @param slots endpoints at the same time; @param places those and the ones that wait: the entries that this process takes */
  constructor(
    private readonly tools: DispatcherTools,
    { slots, places }: { slots: number; places: number },
  ) {
    const share = Math.max(deliveries.shareOfFree, LEAST_SLOTS / slots);
    this.slots = new FairSlots({ what: 'webhook endpoints', slots, places, share });
    this.failing = new OccasionalWarning(tools.services.log, 'a webhook endpoint could not be served', untilRepaired);
  }

  /** Processes an entry of the queue. Never throws: what failed is found by the next scan. */
  async process(entry: QueueEntry): Promise<EntryOutcome> {
    const { companyId, endpointId } = entry.data as EndpointRef;
    this.follow(entry.draining);
    try {
      const isServed = await this.serve({ companyId, id: endpointId }, entry);
      this.failing.end();
      return isServed ? { done: null } : { delayMs: PUT_OFF_MS };
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.failing.note({ err: error, companyId, endpointId });
      return { done: null };
    }
  }

  /** Those that wait for a slot wait no longer when the process stops. */
  private follow(draining: AbortSignal): void {
    if (this.followed === draining) return;
    this.followed = draining;
    draining.addEventListener('abort', () => this.slots.close(), { once: true });
    if (draining.aborted) this.slots.close();
  }

  /**
   * Gives the endpoint a turn, unless it has one. Returns false if the endpoint must be put off.
   * @throws {LeaseLost} when another process has claimed the endpoint meanwhile; what MySQL or the keys of the secrets fail with.
   */
  private async serve(ref: EndpointKey, entry: TurnEntry): Promise<boolean> {
    const { sql, databaseClock } = this.tools.services;
    const turn = this.turns.get(ref.id);
    if (turn !== undefined) turn.nudge();
    // The one that waits reads after its wait what there is to send.
    if (turn !== undefined || this.waiting.has(ref.id) || this.putOff.has(ref.id)) return true;
    this.waiting.add(ref.id);
    const leave = await this.slots.enter(ref.companyId).finally(() => this.waiting.delete(ref.id));
    if (leave === null) {
      this.putOff.add(ref.id);
      setTimeout(() => this.putOff.delete(ref.id), PUT_OFF_MS).unref();
      return false;
    }
    try {
      await databaseClock.ensureCompared(sql);
      const row = await readEndpoint(sql, ref);
      if (row !== null) await this.takeTurns(row, entry);
      return true;
    } finally {
      leave();
    }
  }

  private async takeTurns(known: EndpointRow, entry: TurnEntry): Promise<void> {
    const { services } = this.tools;
    const { sql, clock } = services;
    let row: EndpointRow | null = known;
    while (row?.isEnabled === true && !isLeased(row, clock.now())) {
      const isEnabled = await this.takeTurn(row, entry);
      if (isEnabled === false) return this.endAll(row);
      // What was reported while the endpoint was claimed had no effect.
      if (isEnabled === true) {
        if (await hasWork(sql, row, clock.now())) await wake(services, row, `again-${clock.now().getTime()}`);
        return;
      }
      // The endpoint is not as it was read: changed, or claimed by another process.
      row = await readEndpoint(sql, known);
    }
    if (row?.isEnabled === false) await this.endAll(row);
  }

  /** Ends the deliveries of a disabled endpoint that wait for a retry. */
  private async endAll({ companyId, id }: EndpointKey): Promise<void> {
    const end = (): Promise<boolean> =>
      this.tools.services.perform({ companyId, actor: 'webhooks' }, (uow) => endDeliveries(uow, id));
    while (await end());
  }

  /** Returns whether the endpoint is still enabled; null if it could not be claimed. */
  private async takeTurn(row: EndpointRow, entry: TurnEntry): Promise<boolean | null> {
    const { sql, clock } = this.tools.services;
    const now = clock.now();
    // A claim that succeeds has found the endpoint as it was read, so this is what the turn begins with.
    const [claimed, due, fresh] = await Promise.all([
      claimEndpoint(sql, row, now),
      readDue(sql, row, now),
      readNew(sql, row, row.position),
    ]);
    if (claimed === null) return null;
    const turn = new EndpointTurn(this.tools, row, claimed, entry);
    this.turns.set(row.id, turn);
    try {
      return await turn.run({ due, fresh });
    } finally {
      this.turns.delete(row.id);
    }
  }
}

const isLeased = ({ leaseUntil }: EndpointRow, now: Date): boolean => leaseUntil !== null && leaseUntil > now;

const wake = (services: Tools['services'], { companyId, id }: EndpointKey, reason: string): Promise<void> =>
  wakeEndpoint(services, { companyId, endpointId: id }, reason);
