import { Overloaded } from '../errors';

export interface FairSlotsOptions {
  /** The name of refused work in the error, in the plural. */
  what: string;
  /** Pieces of work that run at the same time. */
  slots: number;
  /** Pieces of work that run or wait. */
  places: number;
  /** A company takes a slot, or waits for one, only while its use is below this part of those that are free. */
  share: number;
}

interface Company {
  running: number;
  /** The average number of slots that it held recently, as of `at`. */
  average: number;
  at: number;
  /** Called with false when the process stops. */
  readonly waiting: ((isGranted: boolean) => void)[];
}

/** Slots held this long ago count 1/e. In milliseconds. */
const MEMORY_MS = 60_000;
/** An average of fewer slots is as good as none. */
const NOTHING = 0.01;
/** How often to check, while slots are free, whether the use of a waiting company has become small enough. */
const LOOK_EVERY_MS = 250;

/**
 * Slots that companies share by the time that their work held them, whether it succeeded or failed. A company's use is the number of
 * slots that it holds, or held on average in the last minute, whichever is more. It starts further work only while its use is less
 * than a part of the slots that are free. So companies whose work takes long leave slots to the others, however many they are: with
 * a part of 1/8, one company takes a ninth of all slots, two take two tenths, n take n/(8 + n). The last slots are for companies that
 * hold none. Of the companies that wait, the one with the least use is next; its work starts in order.
 */
export class FairSlots {
  private readonly companies = new Map<number, Company>();
  /** Waiting companies. After a start a company goes to the end, so that companies with equal use alternate. */
  private readonly waiting = new Set<Company>();
  private readonly held = { running: 0, waiting: 0 };
  private mostCompanies: number;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: FairSlotsOptions) {
    this.mostCompanies = 2 * options.places;
  }

  /** Runs the work in a slot. @throws {Overloaded} when too much work of the company waits already; the errors of the work. */
  async run<T>(companyId: number, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(companyId);
    if (leave === null) throw new Overloaded(this.options.what);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits for a slot. Returns null when too much work of the company waits already, or the process stops. */
  async enter(companyId: number): Promise<(() => void) | null> {
    if (this.isClosed) return null;
    const company = this.companies.get(companyId) ?? this.open(companyId);
    if (company.waiting.length > 0 || !this.mayStart(company)) {
      if (!this.mayWait(company)) return null;
      const isGranted = await new Promise<boolean>((start) => {
        company.waiting.push(start);
        this.held.waiting += 1;
        this.waiting.add(company);
        this.lookAgain();
      });
      if (!isGranted) return null;
    } else this.count(company, 1);
    return () => {
      this.count(company, -1);
      this.startWaiting();
    };
  }

  /** Refuses waiting and further work. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const { waiting } of this.waiting) for (const start of waiting.splice(0)) start(false);
    this.waiting.clear();
  }

  private mayStart(company: Company): boolean {
    const free = this.options.slots - this.held.running;
    return free > 0 && (this.held.running === 0 || this.useOf(company) < this.options.share * free);
  }

  private mayWait({ waiting }: Company): boolean {
    const free = this.options.places - this.held.running - this.held.waiting;
    return waiting.length < this.options.share * free;
  }

  private startWaiting(): void {
    for (let next = this.next(); next !== null && this.mayStart(next); next = this.next()) {
      const start = next.waiting.shift();
      this.held.waiting -= 1;
      this.waiting.delete(next);
      if (next.waiting.length > 0) this.waiting.add(next);
      this.count(next, 1);
      start?.(true);
    }
    this.lookAgain();
  }

  /** If the company with the least use may not start, no other may. */
  private next(): Company | null {
    let next: Company | null = null;
    for (const company of this.waiting) if (next === null || this.useOf(company) < this.useOf(next)) next = company;
    return next;
  }

  /** Use shrinks with time as well. */
  private lookAgain(): void {
    if (this.timer !== undefined || this.waiting.size === 0 || this.held.running >= this.options.slots) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.startWaiting();
    }, LOOK_EVERY_MS).unref();
  }

  private count(company: Company, change: 1 | -1): void {
    this.useOf(company);
    company.running += change;
    this.held.running += change;
  }

  private useOf(company: Company): number {
    const now = performance.now();
    company.average += (company.running - company.average) * (1 - Math.exp((company.at - now) / MEMORY_MS));
    company.at = now;
    return Math.max(company.running, company.average);
  }

  private open(companyId: number): Company {
    if (this.companies.size >= this.mostCompanies) this.forgetIdle();
    const company = { running: 0, average: 0, at: performance.now(), waiting: [] };
    this.companies.set(companyId, company);
    return company;
  }

  private forgetIdle(): void {
    for (const [companyId, company] of this.companies)
      if (company.waiting.length === 0 && this.useOf(company) < NOTHING) this.companies.delete(companyId);
    this.mostCompanies = 2 * Math.max(this.options.places, this.companies.size);
  }
}
