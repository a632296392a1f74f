import type { EventEmitter } from 'node:events';
import type { WorkMeter } from './WorkMeter';
import { endings } from './Pieces';

/**
 * A company is active for this long after it asked for a slot. One that sends a request every few seconds then never finds all slots taken by
 * another. Callers without a key are active for a second only: health checks never end, and would halve what a lone company has.
 */
const ACTIVE_MS = { company: 10_000, keyless: 1_000 };
/** The largest debt that a company without running work keeps, in measured milliseconds, so that it is served again soon. */
const MOST_DEBT_MS = 2_000;
/** The savings of a company that asks for less than its share, in measured milliseconds. A few concurrent requests then do not wait. */
const MOST_SAVINGS_MS = 50;
/** How fast the expected cost of a company's work follows the measured cost: quickly upwards, slowly downwards. */
const LEARN = { up: 0.5, down: 0.1 };
/** Use this long ago counts 1/e. Recent use is computed again after this time. In milliseconds. */
const MEMORY_MS = 1_000;
const LOOK_EVERY_MS = 20;
/** A company with more recent use than this gets a part of the capacity of its own. In measured milliseconds. */
const HEAVY_MS = 100;
/**
 * Work that took longer, or once waited longer for MySQL, is long, in milliseconds: for {@link AFTER_LONG} times as long its company has few
 * slots, also while it is alone. The next one to send a request would find long work in all of them. Cheap work does not shorten that time.
 */
const LONG_MS = 500;
const AFTER_LONG = 3;
/** The number of companies that are kept without work. Companies without a debt are dropped first. */
const FLOWS_KEPT = 10_000;
/** Waiting flows of which one that may begin is chosen: to look at thousands, for each request, would itself use up the event loop. */
const LOOKED_AT = 64;
/**
 * Waiting work that begins in one iteration of the event loop. Where it waits for nothing itself, its end begins the next one: thousands that
 * wait behind a company's slow requests would run in one piece.
 */
const BEGUN_TOGETHER = 32;
/** Milliseconds between two refusals of a company of which too much waits: they need no slot, so nothing else slows down its retries. */
const REFUSED_EVERY_MS = 4;

export interface FairQueueOptions {
  /** The concurrency limit of all companies together. */
  slots: number;
  /** The concurrency limit of one company while no other company is active. */
  slotsAlone: number;
  /** Slots that companies share while several are active. With fewer slots, less work runs between two steps of a company. */
  slotsShared: number;
  /** Measured milliseconds that all companies together may use in each millisecond. */
  capacity: number;
  /** The most pieces of work of one company that wait. */
  maxWaiting: number;
  longestWaitMs: number;
  /** Makes the meter of a piece of work. */
  meter: () => WorkMeter;
  /** Make the errors of work that is refused: too much of its company waits; no slot in time or the process stops; its caller left. */
  full: () => Error;
  late: () => Error;
  left: () => Error;
}

/** The slot of a piece of work that has begun. Work that waits for anything but MySQL gives it up meanwhile ({@link Turn.aside}). */
export interface Turn {
  readonly meter: WorkMeter;
  /**
   * Gives the slot to others while `wait` runs, then takes a slot again, before work that has not begun. `left` is aborted when the
   * caller leaves. The time of `wait` is not measured. Within `wait`, another call gives up nothing more.
   */
  aside<T>(wait: (left: AbortSignal) => Promise<T>): Promise<T>;
  /** Runs more of the work after its end, in a slot that it waits for like work that comes back from `aside`. */
  further<T>(work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  begin(chargedMs: number): void;
  refuse(error: Error): void;
}

/** The use and the waiting work of one flow. */
interface FlowState {
  readonly key: FlowKey;
  readonly level: Level;
  running: number;
  readonly waiting: Set<Waiting>;
  /** Work that gave its slot up for a while. It runs before work that has not begun, and is never refused. */
  readonly returning: ((chargedMs: number) => void)[];
  /** The use beyond the company's share, in measured milliseconds; negative for savings. Shrinks with time. */
  debtMs: number;
  debtAt: number;
  /** The expected cost of its next piece of work. */
  expectedMs: number;
  /** Until then its long work counts. */
  longUntil: number;
  /** Its recent use, in measured milliseconds. */
  usedMs: number;
  /** When it last asked for a slot. */
  askedAt: number;
  /** When the next work of which too much waits is refused. */
  refusedAt: number;
}

type Caller = EventEmitter & { readonly closed?: boolean };

/** Names a flow: a company by its id, callers without a key by their network. */
export type FlowKey = number | string;
/** The company of all callers without a key. */
const KEYLESS = '';
/** Returns the company of a flow. One caller without a key may have any number of networks: all of them are one company. */
export const companyOf = (flow: FlowKey): FlowKey => (typeof flow === 'string' ? KEYLESS : flow);

/** Flows that share with each other. */
class Level {
  /** Flows with waiting work. */
  readonly busy = new Set<FlowState>();
  /** Flows that asked for a slot lately, or have work that runs or waits. */
  readonly active = new Set<FlowState>();
  /** The figures of the active flows, as last computed. */
  seen = { at: -Infinity, averageMs: 0, heavy: 0 };
}

/**
 * Shares a process between companies by the measured cost of their work. A company that is alone has everything. While others are active,
 * it has half of the shared slots. If its recent use is above their average, it begins work only while its measured use stays within half
 * of the capacity; what it used while below the average does not count. When k companies wait, or use much, each has 1/(k+1) of both. A
 * free slot goes to the company with the least debt; the work of one company begins in its order.
 *
 * The cost of a piece of work is known when it ends. Until then the company is charged its expected cost, so that expensive work begins one
 * piece after another and cheap work in parallel.
 *
 * All callers without a key together are one company, however many networks they have, and its share is shared between the networks by the
 * same rules: work of a network begins when both its network and all of them together may begin some.
 */
export class FairQueue {
  private readonly flows = new Map<FlowKey, FlowState>();
  private readonly companies = new Level();
  private readonly networks = new Level();
  private readonly keyless = newFlow(KEYLESS, this.companies);
  private running = 0;
  /** Waiting work that has begun in this iteration of the event loop. */
  private begun = 0;
  private timer: NodeJS.Timeout | undefined;
  /** What is refused soon, as too much of its company waits. */
  private readonly refused = new Set<Waiting>();

  constructor(private readonly options: FairQueueOptions) {}

  /**
   * Runs `work` in a slot of `key`. `caller` emits `close` when no caller waits for the work any more, and is `closed` from then on.
   * @throws the errors of the options when the work was not begun; the errors of `work`.
   */
  async run<T>(key: FlowKey, caller: Caller, work: (turn: Turn) => Promise<T>): Promise<T> {
    const flow = this.flows.get(key) ?? this.open(key);
    for (const each of this.withGroup(flow)) {
      each.askedAt = performance.now();
      if (!each.level.active.has(each)) {
        each.usedMs = 0;
        each.level.active.add(each);
      }
    }
    const beginsNow = !flow.level.busy.has(flow) && this.canBegin(flow);
    const chargedMs = beginsNow ? this.begin(flow) : await this.wait(flow, caller);
    const turn = new RunningTurn(this, flow, caller, this.options.meter());
    turn.begin(chargedMs);
    try {
      return await work(turn);
    } finally {
      turn.end();
    }
  }

  /**
   * Charges `key` for work that ran without a slot. The callers without a key are not charged together: one of them that makes such work
   * without an end would hold up the others, and cannot be held up itself.
   */
  chargeFor(key: FlowKey, ms: number): void {
    this.charge(this.flows.get(key) ?? this.open(key), ms);
  }

  /** Refuses all work that has not begun; called when the process stops. */
  refuseWaiting(): void {
    const busy = [...this.companies.busy, ...this.networks.busy].map(({ waiting }) => waiting);
    for (const waiting of [...busy, this.refused].flatMap((all) => [...all])) waiting.refuse(this.options.late());
  }

  /** Called by {@link RunningTurn}: takes a slot again. Returns what was charged. */
  async comeBack(flow: FlowState): Promise<number> {
    if (flow.returning.length === 0 && this.canBegin(flow)) return this.begin(flow);
    return new Promise((back) => this.enqueue(flow, () => flow.returning.push(back)));
  }

  /** Called by {@link RunningTurn}: gives a slot back. `chargedMs` was charged when the work began. */
  end(flow: FlowState, tookMs: number, chargedMs: number, waitedMs: number): void {
    this.running -= 1;
    for (const each of this.withGroup(flow)) {
      each.running -= 1;
      this.charge(each, tookMs - chargedMs);
    }
    const change = tookMs - flow.expectedMs;
    // Falls no faster than the time that the work took. Otherwise a hundred cheap pieces would let expensive ones fill all slots.
    flow.expectedMs += change > 0 ? change * LEARN.up : Math.max(change * LEARN.down, -tookMs);
    const lastedMs = Math.max(tookMs, waitedMs);
    if (lastedMs > LONG_MS) flow.longUntil = Math.max(flow.longUntil, performance.now() + AFTER_LONG * lastedMs);
    this.admit();
  }

  private wait(flow: FlowState, caller: Caller): Promise<number> {
    const isFull = flow.waiting.size >= this.options.maxWaiting;
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        flow.waiting.delete(waiting);
        this.refused.delete(waiting);
        clearTimeout(timer);
        caller.off('close', abort);
        this.forgetIfIdle(flow);
        then();
      };
      const waiting: Waiting = {
        begin: (chargedMs) => settle(() => resolve(chargedMs)),
        refuse: (error) => settle(() => endings.add(() => reject(error))),
      };
      const abort = (): void => waiting.refuse(this.options.left());
      const { full, late, longestWaitMs } = this.options;
      const [refuse, inMs] = isFull ? [full, this.refusalIn(flow)] : [late, longestWaitMs];
      const timer = setTimeout(() => waiting.refuse(refuse()), inMs).unref();
      caller.once('close', abort);
      if (isFull) this.refused.add(waiting);
      else this.enqueue(flow, () => flow.waiting.add(waiting));
      if (caller.closed === true) abort();
    });
  }

  /** Returns the milliseconds until a further refusal of the flow's company. */
  private refusalIn(flow: FlowState): number {
    const company = flow.level === this.networks ? this.keyless : flow;
    const now = performance.now();
    const inMs = Math.min(this.options.longestWaitMs, Math.max(0, company.refusedAt - now));
    company.refusedAt = now + inMs + REFUSED_EVERY_MS;
    return inMs;
  }

  private enqueue(flow: FlowState, add: () => void): void {
    add();
    for (const each of this.withGroup(flow)) each.level.busy.add(each);
    this.admit();
  }

  /** Begins all work that may begin now, the company with the least debt first, and sets the timer of the next check. */
  private admit(): void {
    if (this.companies.busy.size === 0) return;
    for (let next = this.next(); next !== null; next = this.next()) {
      if (this.begun === BEGUN_TOGETHER) return;
      if (this.begun++ === 0) setImmediate(() => this.beginMore());
      const chargedMs = this.begin(next);
      const back = next.returning.shift();
      const [waiting] = next.waiting;
      if (back === undefined) waiting?.begin(chargedMs);
      else {
        this.forgetIfIdle(next);
        back(chargedMs);
      }
    }
    this.plan();
  }

  private beginMore(): void {
    const wasFull = this.begun === BEGUN_TOGETHER;
    this.begun = 0;
    if (wasFull) this.admit();
  }

  private next(level = this.companies): FlowState | null {
    let [next, leastMs]: [FlowState | null, number] = [null, Infinity];
    for (const flow of firstOf(level.busy)) {
      if (!this.mayBegin(flow)) {
        if (level.busy.size <= LOOKED_AT) continue;
        // All others are looked at before this one is again.
        level.busy.delete(flow);
        level.busy.add(flow);
        continue;
      }
      if (flow.debtMs >= leastMs) continue;
      const begins = flow === this.keyless ? this.next(this.networks) : flow;
      if (begins !== null) [next, leastMs] = [begins, flow.debtMs];
    }
    return next;
  }

  /** The end of other work does not wake work that waits for its company's debt to shrink. */
  private plan(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const inMs = this.soonest(this.companies);
    if (inMs < Infinity)
      this.timer = setTimeout(() => this.admit(), Math.ceil(Math.min(inMs, ACTIVE_MS.keyless))).unref();
  }

  /** Returns the milliseconds until a debt has shrunk so far that work may begin; Infinity where none has a slot. */
  private soonest(level: Level): number {
    let soonestMs = level.busy.size > LOOKED_AT ? 1 : Infinity;
    for (const flow of firstOf(level.busy)) {
      if (!this.hasSlot(flow)) continue;
      const inMs = Math.max(1, this.debtOf(flow) / this.rate(level));
      soonestMs = Math.min(soonestMs, flow === this.keyless ? Math.max(inMs, this.soonest(this.networks)) : inMs);
    }
    return soonestMs;
  }

  private hasSlot(flow: FlowState): boolean {
    return this.running < this.options.slots && flow.running < this.slotsOf(flow);
  }

  private canBegin(flow: FlowState): boolean {
    return this.withGroup(flow).every((each) => this.mayBegin(each));
  }

  private mayBegin(flow: FlowState): boolean {
    return this.hasSlot(flow) && (this.debtOf(flow) <= 0 || this.usedLittle(flow) || this.isAlone(flow));
  }

  /** Returns the flow, and the company that it belongs to if it is a network. */
  private withGroup(flow: FlowState): readonly FlowState[] {
    return flow.level === this.networks ? [flow, this.keyless] : [flow];
  }

  private slotsOf(flow: FlowState): number {
    const { slotsAlone, slotsShared } = this.options;
    const parts = Math.max(1, flow.level.busy.size) + 1;
    if (this.isAlone(flow) && flow.longUntil <= performance.now()) return slotsAlone;
    return Math.max(1, Math.floor(slotsShared / parts));
  }

  /** Returns the measured milliseconds that a company may use in each: one part for each that waits or uses much, one for the others. */
  private rate({ busy, seen }: Level): number {
    return this.options.capacity / (Math.max(1, busy.size, seen.heavy) + 1);
  }

  /** What long work uses is counted when it begins, and mostly forgotten before it ends. */
  private usedLittle(flow: FlowState): boolean {
    this.look(flow.level);
    const runsLong = flow.running > 0 && flow.expectedMs > LONG_MS;
    return !runsLong && flow.usedMs <= flow.level.seen.averageMs;
  }

  /** Reduces the recent use of the active flows by the time that has passed, and drops inactive flows. */
  private look(level: Level): void {
    const now = performance.now();
    if (now - level.seen.at < LOOK_EVERY_MS) return;
    const kept = Math.exp((level.seen.at - now) / MEMORY_MS);
    let [usedMs, heavy] = [0, 0];
    for (const flow of level.active) {
      flow.usedMs *= kept;
      if (flow.running > 0 || level.busy.has(flow) || now - flow.askedAt <= activeMs(flow)) {
        usedMs += flow.usedMs;
        if (flow.usedMs > HEAVY_MS) heavy += 1;
      } else level.active.delete(flow);
    }
    level.seen = { at: now, averageMs: usedMs / Math.max(1, level.active.size), heavy };
  }

  private debtOf(flow: FlowState): number {
    const now = performance.now();
    flow.debtMs = Math.max(-MOST_SAVINGS_MS, flow.debtMs - (now - flow.debtAt) * this.rate(flow.level));
    flow.debtAt = now;
    return flow.debtMs;
  }

  private charge(flow: FlowState, ms: number): void {
    const debtMs = this.debtOf(flow) + ms;
    flow.debtMs = flow.running === 0 ? Math.min(MOST_DEBT_MS, debtMs) : debtMs;
    flow.usedMs += ms;
  }

  /** Takes a slot, and charges the company the expected cost of the work. Returns that cost. */
  private begin(flow: FlowState): number {
    this.running += 1;
    for (const each of this.withGroup(flow)) {
      each.running += 1;
      // Use while a company was alone, or used less than the others, took nothing from them.
      if (this.isAlone(each) || this.usedLittle(each)) each.debtMs = Math.min(0, each.debtMs);
      this.charge(each, flow.expectedMs);
    }
    return flow.expectedMs;
  }

  /** Tests whether no other company is active. */
  private isAlone(flow: FlowState): boolean {
    this.look(flow.level);
    const { active } = flow.level;
    return active.size === (active.has(flow) ? 1 : 0);
  }

  private open(key: FlowKey): FlowState {
    if (this.flows.size >= FLOWS_KEPT) {
      const isIdle = (flow: FlowState): boolean =>
        flow.running === 0 && !flow.level.busy.has(flow) && this.debtOf(flow) <= 0;
      for (const flow of this.flows.values()) if (isIdle(flow)) this.flows.delete(flow.key);
    }
    const flow = newFlow(key, typeof key === 'string' ? this.networks : this.companies);
    this.flows.set(key, flow);
    return flow;
  }

  private forgetIfIdle(flow: FlowState): void {
    if (flow.waiting.size + flow.returning.length === 0) flow.level.busy.delete(flow);
    if (this.networks.busy.size === 0) this.companies.busy.delete(this.keyless);
  }
}

const activeMs = ({ key }: FlowState): number => (typeof key === 'number' ? ACTIVE_MS.company : ACTIVE_MS.keyless);

/** Returns the flows that were looked at longest ago. */
function firstOf(busy: ReadonlySet<FlowState>): FlowState[] {
  const first: FlowState[] = [];
  for (const flow of busy) if (first.push(flow) === LOOKED_AT) break;
  return first;
}

function newFlow(key: FlowKey, level: Level): FlowState {
  return {
    ...{ key, level, running: 0, waiting: new Set(), returning: [], usedMs: 0, expectedMs: 1, longUntil: 0 },
    ...{ debtMs: -MOST_SAVINGS_MS, debtAt: performance.now(), askedAt: -Infinity, refusedAt: -Infinity },
  };
}

class RunningTurn implements Turn {
  /** The cost that the company was charged in advance; null while it has no slot. */
  private chargedMs: number | null = null;

  constructor(
    private readonly queue: FairQueue,
    private readonly flow: FlowState,
    private readonly caller: Caller,
    readonly meter: WorkMeter,
  ) {}

  begin(chargedMs: number): void {
    this.chargedMs = chargedMs;
    this.meter.start();
  }

  end(): void {
    this.queue.end(this.flow, this.meter.stop(), this.chargedMs ?? 0, this.meter.longestWaitMs);
    this.chargedMs = null;
  }

  async aside<T>(wait: (left: AbortSignal) => Promise<T>): Promise<T> {
    if (this.chargedMs === null) return untilLeft(this.caller, wait);
    this.end();
    try {
      return await untilLeft(this.caller, wait);
    } finally {
      this.begin(await this.queue.comeBack(this.flow));
    }
  }

  async further<T>(work: () => Promise<T>): Promise<T> {
    this.begin(await this.queue.comeBack(this.flow));
    try {
      return await work();
    } finally {
      this.end();
    }
  }
}

/** Runs `wait` with a signal that is aborted when the caller leaves. */
async function untilLeft<T>(caller: Caller, wait: (left: AbortSignal) => Promise<T>): Promise<T> {
  const left = new AbortController();
  const abort = (): void => left.abort();
  caller.once('close', abort);
  if (caller.closed === true) abort();
  try {
    return await wait(left.signal);
  } finally {
    caller.off('close', abort);
  }
}
