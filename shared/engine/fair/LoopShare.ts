import { performance } from 'node:perf_hooks';

/** The part of a processor up to which any company begins work. Others find the event loop free more often than not. */
const OPEN_PART = 0.4;
/** A company that used less of a processor never waits: 200 ms of the last second. */
const NEVER_HELD_MS = 200;
/** Idle time that is saved for work to come, and what is owed at most, in milliseconds. */
const MOST_CREDIT_MS = 10;
const MOST_OWED_MS = 200;
/** What a company used this long ago counts 1/e. In milliseconds. */
const MEMORY_MS = 1_000;
/** A company that used less than this lately is as good as absent. In milliseconds. */
const NOTHING_MS = 0.01;
/** How often to forget what was used long ago, and to look again while work waits. */
const FORGET_EVERY_MS = 20;
const LOOK_EVERY_MS = 5;
/** A piece of work begins after this long in any case. */
const LONGEST_WAIT_MS = 10_000;

interface Company {
  readonly id: number;
  /** What its work that began lately costs, in milliseconds. */
  usedMs: number;
  readonly waiting: Set<() => void>;
}

/**
 * Shares the processor of a worker between companies. While the process uses more than {@link OPEN_PART} of one, work of a company that
 * used more than the average of all waits until there was enough idle time. How busy the process is, is measured; what a company used is
 * what its kinds of work cost on the whole, since nobody can tell for whom an event loop ran. So what the process does for nobody in
 * particular is no company's debt. A company that is alone never waits.
 */
export class LoopShare {
  private readonly companies = new Map<number, Company>();
  private readonly waiting = new Set<Company>();
  private readonly seen = { at: performance.now(), cpuMs: cpuMs(), forgotAt: performance.now() };
  private creditMs = MOST_CREDIT_MS;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** Runs the work, which costs about `costMs` of a processor, when it is the company's turn. @throws what the work throws. */
  async run<T>(companyId: number, costMs: number, work: () => Promise<T>): Promise<T> {
    this.look();
    const company = this.companyOf(companyId);
    if (company.waiting.size > 0 || !this.mayBegin(company)) await this.wait(company);
    this.companyOf(companyId).usedMs += costMs;
    return work();
  }

  /** Work that waits begins now, and further work at once: the process ends. */
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
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((begin) => {
      company.waiting.add(begin);
      this.waiting.add(company);
      timer = setTimeout(() => this.begin(company, begin), LONGEST_WAIT_MS);
      this.lookAgain();
    });
    clearTimeout(timer);
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

  /** Begins one piece of the company that used the least, lets the event loop run it, and goes on while there is time left. */
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

  /** Counts how busy the process was since the last look, and forgets what companies used long ago. */
  private look(): void {
    const { seen } = this;
    const now = performance.now();
    const passedMs = now - seen.at;
    if (passedMs < 1) return;
    const busyMs = cpuMs() - seen.cpuMs;
    seen.at = now;
    seen.cpuMs += busyMs;
    this.creditMs = Math.max(-MOST_OWED_MS, Math.min(MOST_CREDIT_MS, this.creditMs + OPEN_PART * passedMs - busyMs));
    if (now - seen.forgotAt < FORGET_EVERY_MS) return;
    const kept = Math.exp((seen.forgotAt - now) / MEMORY_MS);
    seen.forgotAt = now;
    for (const company of this.companies.values()) {
      company.usedMs *= kept;
      if (company.usedMs < NOTHING_MS && company.waiting.size === 0) this.companies.delete(company.id);
    }
  }

  /** Companies that began nothing lately are forgotten, also while a slow server keeps their work waiting. */
  private companyOf(id: number): Company {
    const known = this.companies.get(id);
    if (known !== undefined) return known;
    const company = { id, usedMs: 0, waiting: new Set<() => void>() };
    this.companies.set(id, company);
    return company;
  }
}

/**
 * What the process used of the processors, in milliseconds. The time in which its event loop was active would grow with what else the
 * machine does.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
