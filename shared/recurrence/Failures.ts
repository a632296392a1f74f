import type { DueSeries } from './dueSeries';

/** After this many failed series of one company, the scan skips the rest of that company. */
const OF_ONE_COMPANY = 20;
/** After this many skipped companies, the scan gives up. */
const COMPANIES = 100;

type Series = Pick<DueSeries, 'companyId' | 'id'>;

/** The series and companies that a scan skips because they failed. Both lists are short: each claim excludes them by id. */
export class Failures {
  private readonly series = new Map<number, number[]>();
  private readonly companies = new Set<number>();

  /** Adds a failed series. Returns true when its company is skipped from now on. */
  add({ companyId, id }: Series): boolean {
    const failed = [...(this.series.get(companyId) ?? []), id];
    this.series.set(companyId, failed);
    if (failed.length < OF_ONE_COMPANY) return false;
    this.skipCompany(companyId);
    return true;
  }

  skipCompany(companyId: number): void {
    this.series.delete(companyId);
    this.companies.add(companyId);
  }

  skipsCompanyOf({ companyId }: Series): boolean {
    return this.companies.has(companyId);
  }

  get areTooMany(): boolean {
    return this.companies.size >= COMPANIES;
  }

  get skipped(): { series: number[]; companies: number[] } {
    return { series: [...this.series.values()].flat(), companies: [...this.companies] };
  }
}
