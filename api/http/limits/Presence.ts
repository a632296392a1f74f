/** A company counts as present for this long after its last request. */
const PRESENT_MS = 1_000;

interface Visit {
  companyId: number;
  at: number;
}

const never: Visit = { companyId: 0, at: -Infinity };

/** Detects whether only one company sends requests to this process. The last two companies are enough for that. */
export class Presence {
  private latest = never;
  private before = never;

  /** Records a request of a company. */
  note(companyId: number): void {
    if (companyId !== this.latest.companyId) this.before = this.latest;
    this.latest = { companyId, at: performance.now() };
  }

  /** Tests whether no other company has begun a request within the last second. */
  isAlone(companyId: number): boolean {
    const other = this.latest.companyId === companyId ? this.before : this.latest;
    return performance.now() - other.at > PRESENT_MS;
  }
}
