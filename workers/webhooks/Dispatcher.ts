import { setTimeout as sleep } from 'node:timers/promises';
import { deliveries } from '../../config/queues';
import type { EndpointRef } from '../../shared/engine/db';
import { FairSlots } from '../../shared/engine/fair';
import { OccasionalWarning, untilRepaired } from '../../shared/engine/log';
import { endDeliveries, wakeEndpoint } from '../../shared/webhooks';
import { LeaseLost, type Tools } from '../jobs/JobRun';
import type { EntryOutcome, QueueEntry } from '../jobs/ServedQueue';
import { PUT_OFF_COST_MS } from '../jobs/shareSlots';
import { claimEndpoint, hasWork, isStopped, readEndpoint, type EndpointKey, type EndpointRow } from './endpointRow';
import { EndpointTurn, type TurnEntry, type TurnTools } from './EndpointTurn';
import { readDue, readNew } from './readShipments';

/** How long an entry is deferred when too many endpoints of its company wait. */
const PUT_OFF_MS = 1_000;
/** What a turn that sends nothing costs the process, in milliseconds: it claims the endpoint, reads, and records its position. */
const TURN_MS = 5;
/**
 * Work for MySQL that sends little is followed by a rest of this many times as long: a batch of deliveries is ended, or many events are
 * looked through for few. The rests of all companies follow one another.
 */
const REST_TIMES = 9;
const LONGEST_REST_MS = 5_000;
/** The rest after a read has pieces of this length. After each, the company that rested least lately is next. */
const PIECE_OF_REST_MS = 250;
/** The part of few slots that one company gets while all are free. */
const LEAST_SLOTS = 2;

/** Serves webhook endpoints: one turn for each entry of the queue, one turn of an endpoint at a time. */
export class Dispatcher {
  /** By endpoint. */
  private readonly turns = new Map<number, EndpointTurn>();
  /** The endpoints that wait for a slot. */
  private readonly waiting = new Set<number>();
  /** The endpoints with a deferred entry. Further entries of them are dropped. */
  private readonly putOff = new Set<number>();
  private readonly slots: FairSlots;
  private readonly failing: OccasionalWarning;
  /** One slot: of the rest, and of the batch that is ended before it. Companies take turns, however many endpoints of one wait. */
  private readonly resting: FairSlots;
  /** The endpoints whose deliveries are being ended. */
  private readonly beingEnded = new Set<number>();
  private followed: AbortSignal | undefined;

  /** @param slots endpoints at the same time; @param places those and the ones that wait: the entries that this process takes */
  constructor(
    private readonly tools: TurnTools,
    { slots, places }: { slots: number; places: number },
  ) {
    const share = Math.max(deliveries.shareOfFree, LEAST_SLOTS / slots);
    this.slots = new FairSlots({ what: 'webhook endpoints', slots, places, share });
    // Each endpoint that rests holds one of the slots above.
    this.resting = new FairSlots({ what: 'resting webhook endpoints', slots: 1, places: 2 * slots, share: 1 });
    this.failing = new OccasionalWarning(tools.services.log, 'a webhook endpoint could not be served', untilRepaired);
  }

  /** Processes an entry of the queue. Never throws: the next scan finds the failed endpoint. */
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

  /** When the process stops, endpoints no longer wait for a slot. */
  private follow(draining: AbortSignal): void {
    if (this.followed === draining) return;
    this.followed = draining;
    draining.addEventListener('abort', () => this.slots.close(), { once: true });
    if (draining.aborted) this.slots.close();
  }

  /**
   * Gives the endpoint a turn, unless it has one. Returns false if the entry must be deferred.
   * @throws {LeaseLost} when another process has claimed the endpoint meanwhile; errors of MySQL and of decryption.
   */
  private async serve(ref: EndpointKey, entry: TurnEntry): Promise<boolean> {
    const { sql, databaseClock } = this.tools.services;
    const turn = this.turns.get(ref.id);
    if (turn !== undefined) turn.nudge();
    // The waiting turn reads only after its wait, so it covers this entry.
    if (turn !== undefined || [this.waiting, this.putOff, this.beingEnded].some((those) => those.has(ref.id)))
      return true;
    this.waiting.add(ref.id);
    const leave = await this.slots.enter(ref.companyId);
    if (leave === null) {
      this.waiting.delete(ref.id);
      this.putOff.add(ref.id);
      entry.loop.charge(ref.companyId, PUT_OFF_COST_MS);
      setTimeout(() => this.putOff.delete(ref.id), PUT_OFF_MS).unref();
      return false;
    }
    try {
      await entry.loop.run(ref.companyId, TURN_MS, async () => {
        this.waiting.delete(ref.id);
        await databaseClock.ensureCompared(sql);
        const row = await readEndpoint(sql, ref);
        if (row !== null) await this.takeTurns(row, entry);
      });
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
      if (isEnabled === false) return this.endAll(row, entry.draining);
      // Wakes during the claim had no effect.
      if (isEnabled === true) {
        if (await hasWork(sql, row, clock.now())) await wake(services, row, `again-${clock.now().getTime()}`);
        return;
      }
      // The endpoint was changed, or claimed by another process, since it was read.
      row = await readEndpoint(sql, known);
    }
    if (row?.isEnabled === false) await this.endAll(row, entry.draining);
  }

  /**
   * Ends the deliveries of a disabled endpoint that wait for a retry. There may be hundreds of thousands, and the server of MySQL is everybody's.
   * Where the process stops before the last one, the next scan finds the endpoint.
   */
  private async endAll({ companyId, id }: EndpointKey, draining: AbortSignal): Promise<void> {
    if (this.beingEnded.has(id)) return;
    this.beingEnded.add(id);
    try {
      for (let isMore = true; isMore;) isMore = await this.endSome(companyId, id, draining);
    } finally {
      this.beingEnded.delete(id);
    }
  }

  /** Ends a batch. Returns whether more may be left. */
  private endSome(companyId: number, id: number, draining: AbortSignal): Promise<boolean> {
    return this.resting.run(companyId, async () => {
      if (draining.aborted) return false;
      const begun = performance.now();
      const isMore = await this.tools.services.perform(
        { companyId, actor: 'webhooks' },
        async (uow) => (await isStopped(uow.sql, { companyId, id })) && endDeliveries(uow, id),
      );
      if (isMore) await restFor(restAfter(performance.now() - begun), draining);
      return isMore;
    });
  }

  /** Returns whether the endpoint is still enabled; null if it could not be claimed. */
  private async takeTurn(row: EndpointRow, entry: TurnEntry): Promise<boolean | null> {
    const { sql, clock } = this.tools.services;
    const now = clock.now();
    const claimedAt = performance.now();
    // A successful claim has found the endpoint unchanged, so the turn starts with the row as read.
    const [claimed, due, fresh] = await Promise.all([
      claimEndpoint(sql, row, now),
      readDue(sql, row, now, deliveries.firstBatch),
      readNew(sql, row, row.position, deliveries.firstBatch),
    ]);
    if (claimed === null) return null;
    const rest = async (workedMs: number): Promise<void> => {
      for (let leftMs = restAfter(workedMs); leftMs > 0; leftMs -= PIECE_OF_REST_MS) {
        await this.resting.run(row.companyId, () => restFor(Math.min(leftMs, PIECE_OF_REST_MS), entry.draining));
      }
    };
    const turn = new EndpointTurn(this.tools, row, claimed, entry, claimedAt, rest);
    this.turns.set(row.id, turn);
    try {
      return await turn.run({ due, fresh, position: row.position });
    } finally {
      this.turns.delete(row.id);
    }
  }
}

const restAfter = (workedMs: number): number => Math.min(LONGEST_REST_MS, REST_TIMES * workedMs);

async function restFor(ms: number, draining: AbortSignal): Promise<void> {
  // It rejects when the process stops.
  await sleep(ms, undefined, { signal: draining, ref: false }).catch(() => undefined);
}

const isLeased = ({ leaseUntil }: EndpointRow, now: Date): boolean => leaseUntil !== null && leaseUntil > now;

const wake = (services: Tools['services'], { companyId, id }: EndpointKey, reason: string): Promise<void> =>
  wakeEndpoint(services, { companyId, endpointId: id }, reason);
