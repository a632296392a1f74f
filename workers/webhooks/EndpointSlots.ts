/** What wants to be served. */
interface Candidate {
  readonly companyId: number;
  /** The endpoint has failed lately, so its requests are likely to take their full time. */
  readonly isSuspect: boolean;
}

interface Waiting extends Candidate {
  /** Called with false when the process stops. */
  readonly start: (granted: boolean) => void;
}

/**
 * The endpoints that a process serves at the same time. One company gets at most a quarter of the slots, and endpoints that fail get
 * at most half of them together: however many endpoints do not respond, there are slots for the others.
 */
export class EndpointSlots {
  private readonly running = { all: 0, suspects: 0, byCompany: new Map<number, number>() };
  private waiting: Waiting[] = [];
  private isClosed = false;

  /** @param slots endpoints at the same time */
  constructor(private readonly slots: number) {}

  /**
   * Waits for a slot, in the order of arrival. Returns false when too many endpoints of the company wait already, or the process
   * stops. Every slot is given back by {@link leave}.
   */
  async enter(candidate: Candidate): Promise<boolean> {
    if (this.isClosed) return false;
    if (!this.canStart(candidate)) {
      const ofCompany = this.waiting.filter(({ companyId }) => companyId === candidate.companyId).length;
      if (ofCompany >= this.perCompany) return false;
      return new Promise((resolve) => this.waiting.push({ ...candidate, start: resolve }));
    }
    this.add(candidate, 1);
    return true;
  }

  leave(candidate: Candidate): void {
    this.add(candidate, -1);
    for (const one of this.waiting) {
      if (!this.canStart(one)) continue;
      this.waiting = this.waiting.filter((other) => other !== one);
      this.add(one, 1);
      one.start(true);
      return;
    }
  }

  /** Refuses those that wait, and further ones. */
  close(): void {
    this.isClosed = true;
    for (const { start } of this.waiting.splice(0)) start(false);
  }

  private get perCompany(): number {
    return Math.max(1, Math.floor(this.slots / 4));
  }

  private canStart({ companyId, isSuspect }: Candidate): boolean {
    const { all, suspects, byCompany } = this.running;
    if (all >= this.slots || (byCompany.get(companyId) ?? 0) >= this.perCompany) return false;
    return !isSuspect || suspects < Math.max(1, Math.floor(this.slots / 2));
  }

  private add({ companyId, isSuspect }: Candidate, change: 1 | -1): void {
    const { running } = this;
    running.all += change;
    if (isSuspect) running.suspects += change;
    const ofCompany = (running.byCompany.get(companyId) ?? 0) + change;
    if (ofCompany === 0) running.byCompany.delete(companyId);
    else running.byCompany.set(companyId, ofCompany);
  }
}
