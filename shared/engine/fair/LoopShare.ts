import { performance } from 'node:perf_hooks';

/** The part of the time up to which the event loop may be busy while any company begins work: it is then free more often than not. */
const OPEN_PART = 0.4;
/** A company whose work cost less never waits: 200 ms of the last second. */
const NEVER_HELD_MS = 200;
/** The most idle time that is saved for later work, and the largest debt, in milliseconds. */
const MOST_CREDIT_MS = 10;
const MOST_OWED_MS = 200;
/** Use this long ago counts 1/e. In milliseconds. */
const MEMORY_MS = 1_000;
/** A company with less recent use than this counts as inactive. In milliseconds. */
const NOTHING_MS = 0.01;
/** How often recent use is computed again, and how often to check while work waits. */
const FORGET_EVERY_MS = 20;
const LOOK_EVERY_MS = 5;

interface Company {
  readonly id: number;
  /** The cost of its work that began recently, in milliseconds. */
  usedMs: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares the event loop of a worker between companies. While it is busy for more than {@link OPEN_PART} of the time, be it because it works
 * or because the machine gives it little of a processor, work of a company whose use is above the average waits until there was enough idle
 * time. Its load is measured. The use of a company is computed from the known cost of its kinds of work, since an event loop cannot be
 * measured by company. Work that belongs to no company is no company's debt. A company that is alone never waits.
 */
export class LoopShare {
  private readonly companies = new Map<number, Company>();
  private readonly waiting = new Set<Company>();
  private readonly seen = { at: performance.now(), busyMs: busyMs(), forgotAt: performance.now() };
  private creditMs = MOST_CREDIT_MS;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** Runs the work, which costs about `costMs` of a processor, when the company may begin it. @throws the errors of the work. */
  async run<T>(companyId: number, costMs: number, work: () => Promise<T>): Promise<T> {
    this.look();
    const company = this.companyOf(companyId);
    if (company.waiting.size > 0 || !this.mayBegin(company)) await this.wait(company);
    this.companyOf(companyId).usedMs += costMs;
    return work();
  }

  /** Counts what work of the company costs beyond its `costMs`, for example because its document is long. */
  charge(companyId: number, ms: number): void {
    this.companyOf(companyId).usedMs += ms;
  }

  /** Begins waiting and further work immediately: the process ends. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const company of this.waiting) for (const begin of company.waiting) this.begin(company, begin);
  }

  private mayBegin({ usedMs }: Company): boolean {
    if (this.isClosed || this.creditMs > 0 || usedMs < NEVER_HELD_MS) return true;
    let allMs = 0;
    for (const company of this.companies.values()) allMs += company.usedMs;
    return usedMs * this.companies.size <= allMs;
  }

  private async wait(company: Company): Promise<void> {
    await new Promise<void>((begin) => {
      company.waiting.add(begin);
      this.waiting.add(company);
      this.lookAgain();
    });
  }

  private begin(company: Company, begin: () => void): void {
    company.waiting.delete(begin);
    if (company.waiting.size === 0) this.waiting.delete(company);
    begin();
  }

  private lookAgain(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.beginNext();
    }, LOOK_EVERY_MS);
  }

  /** Begins one piece of work of the company with the least use, lets the event loop run it, and repeats that while time is left. */
  private beginNext(): void {
    this.look();
    let next: Company | null = null;
    for (const company of this.waiting) if (next === null || company.usedMs < next.usedMs) next = company;
    if (next === null || this.isClosed) return;
    if (!this.mayBegin(next)) return this.lookAgain();
    const [begin] = next.waiting;
    if (begin !== undefined) this.begin(next, begin);
    setImmediate(() => this.beginNext());
  }

  /** Measures the load of the process since the last check, and reduces the recent use of the companies. */
  private look(): void {
    const { seen } = this;
    const now = performance.now();
    const passedMs = now - seen.at;
    if (passedMs < 1) return;
    const usedMs = busyMs() - seen.busyMs;
    seen.at = now;
    seen.busyMs += usedMs;
    this.creditMs = Math.max(-MOST_OWED_MS, Math.min(MOST_CREDIT_MS, this.creditMs + OPEN_PART * passedMs - usedMs));
    if (now - seen.forgotAt < FORGET_EVERY_MS) return;
    const kept = Math.exp((seen.forgotAt - now) / MEMORY_MS);
    seen.forgotAt = now;
    for (const company of this.companies.values()) {
      company.usedMs *= kept;
      if (company.usedMs < NOTHING_MS && company.waiting.size === 0) this.companies.delete(company.id);
    }
  }

  /** Companies that began nothing recently are dropped, also while a slow server keeps their work waiting. */
  private companyOf(id: number): Company {
    const known = this.companies.get(id);
    if (known !== undefined) return known;
    const company = { id, usedMs: 0, waiting: new Set<() => void>() };
    this.companies.set(id, company);
    return company;
  }
}

/** Returns for how long the event loop was busy, in milliseconds, the time included in which the machine ran other processes meanwhile. */
const busyMs = (): number => performance.eventLoopUtilization().active;
