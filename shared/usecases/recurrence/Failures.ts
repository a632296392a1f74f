import type { DueSeries } from './dueSeries';

/** A company that so many series fail is broken as a whole: its others wait for the next sweep. */
const OF_ONE_COMPANY = 20;
/** So many such companies, and the sweep is broken as a whole. */
const COMPANIES = 100;

type Series = Pick<DueSeries, 'companyId' | 'id'>;

/** What a sweep leaves out because it failed. It stays small however much is broken, since every claim passes it over. */
export class Failures {
  private readonly series = new Map<number, number[]>();
  private readonly companies = new Set<number>();

  /** Answers true when this makes its company one that is left out as a whole. */
  add({ companyId, id }: Series): boolean {
    const failed = [...(this.series.get(companyId) ?? []), id];
    this.series.set(companyId, failed);
    if (failed.length < OF_ONE_COMPANY) return false;
    this.leaveOut(companyId);
    return true;
  }

  /** Leaves a company out as a whole. */
  leaveOut(companyId: number): void {
    this.series.delete(companyId);
    this.companies.add(companyId);
  }

  leavesOut({ companyId }: Series): boolean {
    return this.companies.has(companyId);
  }

  get isTooMuch(): boolean {
    return this.companies.size >= COMPANIES;
  }

  get leftOut(): { series: number[]; companies: number[] } {
    return { series: [...this.series.values()].flat(), companies: [...this.companies] };
  }
}
