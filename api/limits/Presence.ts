/** A company counts as present for so long after its last request. */
const PRESENT_MS = 1_000;

interface Visit {
  companyId: number;
  at: number;
}

const never: Visit = { companyId: 0, at: -Infinity };

/** Which companies send requests to this process. The last two that came are enough to know whether one is alone. */
export class Presence {
  private latest = never;
  private before = never;

  /** Notes that a company has a request. */
  note(companyId: number): void {
    if (companyId !== this.latest.companyId) this.before = this.latest;
    this.latest = { companyId, at: performance.now() };
  }

  /** True when no other company has begun a request within the last second. */
  isAlone(companyId: number): boolean {
    const other = this.latest.companyId === companyId ? this.before : this.latest;
    return performance.now() - other.at > PRESENT_MS;
  }
}
