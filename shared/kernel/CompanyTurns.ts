import { Overloaded } from './errors';

export interface TurnsOptions {
  /** Pieces of work that run at the same time, each of another company. */
  concurrency: number;
  /** Pieces of work that wait, of one company and of all. */
  waitingPerCompany: number;
  waiting: number;
}

/** Runs expensive work of many companies. Companies take turns, so that a slow one delays its own work and no other's. */
export class CompanyTurns {
  private readonly running = new Set<number>();
  /** Companies whose work waits, the one whose turn is next first. */
  private readonly waiting = new Map<number, (() => void)[]>();

  /** @param what names the work in the error, in the plural */
  constructor(
    private readonly what: string,
    private readonly options: TurnsOptions,
  ) {}

  /** @throws {Overloaded} when too much work waits already; what the work throws. */
  async run<T>(companyId: number, work: () => Promise<T>): Promise<T> {
    await this.turn(companyId);
    try {
      return await work();
    } finally {
      this.running.delete(companyId);
      this.startNext();
    }
  }

  private turn(companyId: number): Promise<void> {
    if (this.canStart(companyId)) {
      this.running.add(companyId);
      return Promise.resolve();
    }
    const own = this.waiting.get(companyId) ?? [];
    const all = [...this.waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if (own.length >= this.options.waitingPerCompany || all >= this.options.waiting) throw new Overloaded(this.what);
    return new Promise((start) => this.waiting.set(companyId, [...own, start]));
  }

  private canStart(companyId: number): boolean {
    return this.running.size < this.options.concurrency && !this.running.has(companyId);
  }

  /** A company that still waits afterwards goes to the end of the line. */
  private startNext(): void {
    for (const [companyId, [start, ...rest]] of this.waiting) {
      if (start === undefined || !this.canStart(companyId)) continue;
      this.running.add(companyId);
      this.waiting.delete(companyId);
      if (rest.length > 0) this.waiting.set(companyId, rest);
      start();
      return;
    }
  }
}
