import { toDatabaseUnavailable } from '../kernel/database/databaseErrors';
import type { Sql } from '../kernel/database/sql';
import { ServiceUnavailable } from '../kernel/errors';
import { findDueSeries, type DueRequest, type DueSeries } from './dueSeries';
import { Failures } from './Failures';
import { groupBy } from '../kernel/groupBy';
import { planBatch, type PlannedSeries } from './planBatch';
import type { SeriesKind } from './SeriesKind';
import type { Scan } from './Scan';
import { writeBatch } from './writeBatch';

/**
 * Makes every due occurrence of all companies, the longest overdue first, in bounded transactions. Each transaction inserts
 * occurrences and advances `nextDueDate`, or does neither; a unique key allows one occurrence for each series and date. Any
 * number of scans may run at the same time. When a batch fails, its series are tried one by one. A series that fails alone is
 * reported and left to the next scan. After many failures in one company, the rest of that company is left to it as well.
 * @throws {ServiceUnavailable} when MySQL is unavailable. {@link Error} when a hundred companies fail.
 */
export async function rollSeries(scan: Scan, kind: SeriesKind): Promise<void> {
  const failures = new Failures();
  while (scan.signal?.aborted !== true) {
    if ((await rollBatch(scan, kind, failures)) === 0) return;
    if (failures.areTooMany) throw new Error(`gave up the scan of recurring ${kind.table}: too many companies failed`);
  }
}

/** Rolls a batch in one transaction or, if that fails, each of its series in its own. Returns how many series were due. */
async function rollBatch(scan: Scan, kind: SeriesKind, failures: Failures): Promise<number> {
  let claimed: readonly DueSeries[] = [];
  try {
    await roll(scan, kind, { except: failures.skipped }, (series) => (claimed = series));
  } catch (error) {
    if (isUnavailable(error) || claimed.length === 0) throw error;
    for (const series of claimed) {
      if (!failures.skipsCompanyOf(series)) await rollAlone(scan, kind, series, failures);
    }
  }
  return claimed.length;
}

async function rollAlone(scan: Scan, kind: SeriesKind, series: DueSeries, failures: Failures): Promise<void> {
  const { companyId, id } = series;
  try {
    await roll(scan, kind, { only: series });
  } catch (error) {
    if (isUnavailable(error)) throw error;
    scan.observer.failed({ kind: kind.name, companyId, id }, error);
    // Each further series of the company would wait for the same lock.
    if (toDatabaseUnavailable(error) !== null) return failures.skipCompany(companyId);
    if (!failures.add(series)) return;
    const reason = new Error('too many series of this company failed; the next scan retries the rest');
    scan.observer.failed({ kind: kind.name, companyId, id: null }, reason);
  }
}

async function roll(
  { services, asOf, wait, observer }: Scan,
  kind: SeriesKind,
  which: DueRequest['which'],
  claim: (series: readonly DueSeries[]) => void = () => undefined,
): Promise<void> {
  const planned = await services.performForInstallation(`schedule:${kind.table}`, async (work) => {
    const request = { asOf, now: work.now, which, limit: kind.batch.series };
    const found = await findDueSeries(work.sql, kind, request, wait ? 'wait' : 'skip locked');
    const due = kind.batch.companies === 1 ? found.filter(({ companyId }) => companyId === found[0]?.companyId) : found;
    claim(due);
    const limit = Math.max(1, Math.floor(kind.batch.occurrences / due.length));
    const batch: PlannedSeries[] = [];
    for (const [companyId, series] of groupBy(due, (one) => one.companyId)) {
      const ofCompany = work.forCompany(companyId);
      const plan = await planBatch(ofCompany, kind, series, { asOf, now: work.now, limit });
      await writeBatch(ofCompany, kind, plan);
      batch.push(...plan);
    }
    return batch;
  });
  report(observer, kind, planned);
}

/** Series of one query. Each query reads again, by OFFSET, over those of the queries before. */
const PREVIEW_BATCH = 5_000;

/** Reports the occurrences that {@link rollSeries} would make now. Locks and writes nothing. */
export async function previewSeries({ services, asOf, observer }: Scan, kind: SeriesKind): Promise<void> {
  const { sql, clock } = services;
  const request = { asOf, now: clock.now(), which: { except: new Failures().skipped }, limit: PREVIEW_BATCH };
  for (let seen = 0; ; seen += request.limit) {
    const due = await findDueSeries(sql, kind, request, 'none', seen);
    for (const [companyId, series] of groupBy(due, (one) => one.companyId)) {
      for (const one of series) await preview({ sql, companyId }, one);
    }
    if (due.length < request.limit) return;
  }

  async function preview(ofCompany: { sql: Sql; companyId: number }, series: DueSeries): Promise<void> {
    try {
      report(observer, kind, await planBatch(ofCompany, kind, [series], { ...request, limit: Infinity }));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      observer.failed({ kind: kind.name, companyId: ofCompany.companyId, id: series.id }, error);
    }
  }
}

function report(observer: Scan['observer'], kind: SeriesKind, planned: readonly PlannedSeries[]): void {
  for (const { series, dates } of planned) {
    for (const date of dates) observer.created(kind.name, series.companyId, { seriesId: series.id, date });
  }
}

/** Tests whether MySQL or Redis is unavailable, which fails the whole scan. A lock timeout fails only its company. */
export function isUnavailable(error: unknown): boolean {
  const database = toDatabaseUnavailable(error);
  return database === null ? error instanceof ServiceUnavailable : database.reason === 'unavailable';
}
