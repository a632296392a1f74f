import type { EventEmitter } from 'node:events';
import type { Meter } from './Meter';

/** A company counts as active for this long after its last work began. */
const ACTIVE_MS = 1_000;
/** The most that a company without running work owes: it is served again soon. In measured milliseconds, as all of these. */
const MOST_DEBT_MS = 2_000;
/** What a company saves while it asks for less than its share, so that a few requests at the same time wait for nothing. */
const MOST_SAVINGS_MS = 50;
/** How fast the expected cost of a company's work follows what was measured: quickly upwards, slowly downwards. */
const LEARN = { up: 0.5, down: 0.1 };
/** What a company used this long ago counts 1/e, and how often that is computed anew. In milliseconds. */
const MEMORY_MS = 1_000;
const LOOK_EVERY_MS = 20;
/** A company that used more lately has a part of the capacity of its own, in measured milliseconds. */
const HEAVY_MS = 100;
/** Companies that are kept without work; those whose debt has ended are dropped first. */
const FLOWS_KEPT = 10_000;

export interface FairQueueOptions {
  /** Pieces of work that run at the same time, of all companies. */
  slots: number;
  /** Pieces of work of one company, at most, while no other company is active. */
  slotsAlone: number;
  /** While others are active, companies share these: the fewer, the less work runs between two steps of another company's. */
  slotsShared: number;
  /** What all companies may use for each millisecond, in measured milliseconds. */
  capacity: number;
  /** Pieces of work of one company that wait. */
  maxWaiting: number;
  longestWaitMs: number;
  /** Makes the meter of a piece of work. */
  meter: () => Meter;
  /** Make the errors of work that is refused: too much of its company waits; no slot in time or the process stops; its caller left. */
  full: () => Error;
  late: () => Error;
  left: () => Error;
}

/** The turn of a piece of work that has begun. */
export interface Turn<M extends Meter = Meter> {
  readonly meter: M;
  /**
   * Gives the slot to others while `wait` runs, then takes a slot again, before work that has not begun. `left` is aborted when the
   * caller leaves. The time of `wait` is not measured.
   */
  aside<T>(wait: (left: AbortSignal) => Promise<T>): Promise<T>;
  /** Runs more of the work after its end, in a slot that it waits for like work that comes back from `aside`. */
  further<T>(work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  begin(chargedMs: number): void;
  refuse(error: Error): void;
}

/** The work of one company. */
interface Flow {
  readonly key: FlowKey;
  running: number;
  readonly waiting: Set<Waiting>;
  /** Work that gave its slot up for a while. It comes before work that has not begun, and is never refused. */
  readonly returning: (() => void)[];
  /** What the company used beyond its share, in measured milliseconds; negative for savings. Shrinks with time. */
  debtMs: number;
  debtAt: number;
  /** What a piece of its work will take, as far as is known. */
  expectedMs: number;
  /** What it used lately, in measured milliseconds. */
  usedMs: number;
  /** When it last asked for a turn. */
  askedAt: number;
}

/** A company's id, or the name of whatever shares a flow. */
export type FlowKey = number | string;

/**
 * Shares a process between companies by what their work really took. A company that is alone has everything. While others are active,
 * it has half of the slots that are shared. If it used more than the average of them lately, it begins work only while its measured use
 * stays within half of the capacity. When k companies wait, or use much, each has 1/(k+1) of both. A free slot goes to the company with
 * the least debt; the work of one company begins in its order.
 *
 * The cost of a piece of work is known when it ends. Until then the company is charged its expected cost, so that expensive work begins
 * one piece after another and cheap work in parallel.
 *
 * A process knows only its own work: each of several processes has its own queue.
 */
export class FairQueue<M extends Meter = Meter> {
  private readonly flows = new Map<FlowKey, Flow>();
  /** Flows with work that waits. */
  private readonly busy = new Set<Flow>();
  private running = 0;
  /** Flows that asked for a turn within the last second, or have work that runs or waits. */
  private readonly active = new Set<Flow>();
  /** What was seen of the active flows at the last look. */
  private seen = { at: -Infinity, averageMs: 0, heavy: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: Omit<FairQueueOptions, 'meter'> & { meter: () => M }) {}

  /**
   * Runs `work` when it is the turn of `key`. `caller` emits `close` when nobody waits for the work any more.
   * @throws the errors of the options, then the work was not begun; what `work` throws.
   */
  async run<T>(key: FlowKey, caller: EventEmitter, work: (turn: Turn<M>) => Promise<T>): Promise<T> {
    const flow = this.flows.get(key) ?? this.open(key);
    flow.askedAt = performance.now();
    if (!this.active.has(flow)) {
      flow.usedMs = 0;
      this.active.add(flow);
    }
    const beginsNow = !this.busy.has(flow) && this.canBegin(flow);
    const chargedMs = beginsNow ? this.begin(flow) : await this.wait(flow, caller);
    const turn = new RunningTurn(this, flow, caller, this.options.meter());
    turn.begin(chargedMs);
    try {
      return await work(turn);
    } finally {
      turn.end();
    }
  }

  /** Charges `key` for work that had no turn and cannot wait for one any more. */
  chargeFor(key: FlowKey, ms: number): void {
    const flow = this.flows.get(key) ?? this.open(key);
    this.charge(flow, ms);
    this.boundDebt(flow);
  }

  /** Refuses all work that has not begun; called when the process stops. */
  refuseWaiting(): void {
    for (const flow of this.busy) for (const waiting of [...flow.waiting]) waiting.refuse(this.options.late());
  }

  /** For {@link RunningTurn}. */
  async comeBack(flow: Flow): Promise<void> {
    if (flow.returning.length === 0 && this.canBegin(flow)) this.take(flow);
    else await new Promise<void>((back) => this.enqueue(flow, () => flow.returning.push(back)));
  }

  /** For {@link RunningTurn}: gives a slot back, after work that took so long and was charged so much in advance. */
  end(flow: Flow, tookMs: number, chargedMs: number): void {
    flow.running -= 1;
    this.running -= 1;
    this.charge(flow, tookMs - chargedMs);
    this.boundDebt(flow);
    const change = tookMs - flow.expectedMs;
    // No faster downwards than the work took, else a hundred cheap pieces would make room for as many expensive ones as there are slots.
    flow.expectedMs += change > 0 ? change * LEARN.up : Math.max(change * LEARN.down, -tookMs);
    this.admit();
  }

  private wait(flow: Flow, caller: EventEmitter): Promise<number> {
    if (flow.waiting.size >= this.options.maxWaiting) return Promise.reject(this.options.full());
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        flow.waiting.delete(waiting);
        clearTimeout(timer);
        caller.off('close', abort);
        this.forgetIfIdle(flow);
        then();
      };
      const waiting: Waiting = {
        begin: (chargedMs) => settle(() => resolve(chargedMs)),
        refuse: (error) => settle(() => reject(error)),
      };
      const abort = (): void => waiting.refuse(this.options.left());
      const timer = setTimeout(() => waiting.refuse(this.options.late()), this.options.longestWaitMs).unref();
      caller.once('close', abort);
      this.enqueue(flow, () => flow.waiting.add(waiting));
    });
  }

  private enqueue(flow: Flow, add: () => void): void {
    add();
    this.busy.add(flow);
    this.admit();
  }

  /** Begins whatever may begin now, the company with the least debt first, and plans the next look. */
  private admit(): void {
    if (this.busy.size === 0) return;
    for (let next = this.next(); next !== null; next = this.next()) {
      const back = next.returning.shift();
      if (back !== undefined) {
        this.take(next);
        this.forgetIfIdle(next);
        back();
        continue;
      }
      const [waiting] = next.waiting;
      waiting?.begin(this.begin(next));
    }
    this.plan();
  }

  private next(): Flow | null {
    let next: Flow | null = null;
    for (const flow of this.busy) {
      if (this.canBegin(flow) && (next === null || flow.debtMs < next.debtMs)) next = flow;
    }
    return next;
  }

  /** Work that waits only for its company's debt to shrink is not woken by work that ends. */
  private plan(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.running >= this.options.slots) return;
    let inMs = Infinity;
    for (const flow of this.busy) {
      if (this.hasSlot(flow)) inMs = Math.min(inMs, Math.max(1, this.debtOf(flow) / this.rate()));
    }
    if (inMs < Infinity) this.timer = setTimeout(() => this.admit(), Math.ceil(Math.min(inMs, ACTIVE_MS))).unref();
  }

  private hasSlot(flow: Flow): boolean {
    return this.running < this.options.slots && flow.running < this.slotsOf(flow);
  }

  private canBegin(flow: Flow): boolean {
    return this.hasSlot(flow) && (this.debtOf(flow) <= 0 || this.usedLittle(flow) || this.isAlone(flow));
  }

  private slotsOf(flow: Flow): number {
    const { slotsAlone, slotsShared } = this.options;
    return this.isAlone(flow) ? slotsAlone : Math.max(1, Math.floor(slotsShared / (Math.max(1, this.busy.size) + 1)));
  }

  /** What a company may use for each millisecond: one part for each that waits or uses much, and one for the others. */
  private rate(): number {
    return this.options.capacity / (Math.max(1, this.busy.size, this.seen.heavy) + 1);
  }

  private usedLittle(flow: Flow): boolean {
    this.look();
    return flow.usedMs <= this.seen.averageMs;
  }

  /** Lets fade what the active flows used, and drops those that are no longer active. */
  private look(): void {
    const now = performance.now();
    if (now - this.seen.at < LOOK_EVERY_MS) return;
    const kept = Math.exp((this.seen.at - now) / MEMORY_MS);
    let [usedMs, heavy] = [0, 0];
    for (const flow of this.active) {
      flow.usedMs *= kept;
      if (flow.running > 0 || this.busy.has(flow) || now - flow.askedAt <= ACTIVE_MS) {
        usedMs += flow.usedMs;
        if (flow.usedMs > HEAVY_MS) heavy += 1;
      } else this.active.delete(flow);
    }
    this.seen = { at: now, averageMs: usedMs / Math.max(1, this.active.size), heavy };
  }

  private debtOf(flow: Flow): number {
    const now = performance.now();
    flow.debtMs = Math.max(-MOST_SAVINGS_MS, flow.debtMs - (now - flow.debtAt) * this.rate());
    flow.debtAt = now;
    return flow.debtMs;
  }

  private charge(flow: Flow, ms: number): void {
    flow.debtMs = this.debtOf(flow) + ms;
    flow.usedMs += ms;
  }

  private boundDebt(flow: Flow): void {
    if (flow.running === 0) flow.debtMs = Math.min(MOST_DEBT_MS, flow.debtMs);
  }

  private take(flow: Flow): void {
    flow.running += 1;
    this.running += 1;
  }

  /** Takes a slot, and charges the company what the work is expected to take. Returns that. */
  private begin(flow: Flow): number {
    this.take(flow);
    // What a company used while it was alone took nothing from others.
    if (this.isAlone(flow)) flow.debtMs = Math.min(0, flow.debtMs);
    this.charge(flow, flow.expectedMs);
    return flow.expectedMs;
  }

  /** Tests whether no other company has work that runs or waits, or asked for a turn within the last second. */
  private isAlone(flow: Flow): boolean {
    this.look();
    return this.active.size === (this.active.has(flow) ? 1 : 0);
  }

  private open(key: FlowKey): Flow {
    if (this.flows.size >= FLOWS_KEPT) {
      const isIdle = (flow: Flow): boolean => flow.running === 0 && !this.busy.has(flow) && this.debtOf(flow) <= 0;
      for (const flow of this.flows.values()) if (isIdle(flow)) this.flows.delete(flow.key);
    }
    const flow = {
      ...{ key, running: 0, waiting: new Set<Waiting>(), returning: [] },
      ...{ debtMs: -MOST_SAVINGS_MS, debtAt: performance.now(), expectedMs: 1, usedMs: 0, askedAt: -Infinity },
    };
    this.flows.set(key, flow);
    return flow;
  }

  private forgetIfIdle(flow: Flow): void {
    if (flow.waiting.size + flow.returning.length === 0) this.busy.delete(flow);
  }
}

/** The turn of a piece of work that has its slot. */
class RunningTurn<M extends Meter> implements Turn<M> {
  /** What the company was charged in advance. */
  private chargedMs = 0;

  constructor(
    private readonly queue: FairQueue<M>,
    private readonly flow: Flow,
    private readonly caller: EventEmitter,
    readonly meter: M,
  ) {}

  begin(chargedMs: number): void {
    this.chargedMs = chargedMs;
    this.meter.start();
  }

  end(): void {
    this.queue.end(this.flow, this.meter.stop(), this.chargedMs);
  }

  async aside<T>(wait: (left: AbortSignal) => Promise<T>): Promise<T> {
    this.end();
    try {
      return await untilLeft(this.caller, wait);
    } finally {
      await this.queue.comeBack(this.flow);
      this.begin(0);
    }
  }

  async further<T>(work: () => Promise<T>): Promise<T> {
    await this.queue.comeBack(this.flow);
    this.begin(0);
    try {
      return await work();
    } finally {
      this.end();
    }
  }
}

/** Runs `wait` with a signal that is aborted when the caller leaves. */
async function untilLeft<T>(caller: EventEmitter, wait: (left: AbortSignal) => Promise<T>): Promise<T> {
  const left = new AbortController();
  const abort = (): void => left.abort();
  caller.once('close', abort);
  try {
    return await wait(left.signal);
  } finally {
    caller.off('close', abort);
  }
}
