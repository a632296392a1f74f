import { isResponseTimeout, toDatabaseUnavailable } from '../engine/db';
import { ServiceUnavailable } from '../engine/errors';
import type { Calendar, Served } from './Calendar';
import { companiesWithDueSeries, findDueSeries, type DueRequest, type DueSeries } from './dueSeries';
import { planBatch, type PlannedSeries } from './planBatch';
import type { SeriesKind } from './SeriesKind';
import type { Scan } from './Scan';
import { writeBatch } from './writeBatch';

/** After this many failed series of one company, the scan skips the rest of that company. */
const FAILURES_OF_COMPANY = 20;

/**
 * Makes every due occurrence of a kind, the longest overdue of a company first, in transactions of limited size, each of one company. Each
 * transaction inserts occurrences and advances `nextDueDate`, or does neither; a unique key allows one occurrence for each series and date.
 * Any number of scans may run at the same time. When a batch fails, its series are made one by one. A series that fails alone is reported
 * and left to the next scan. After many failures in one company, the rest of that company is left to the next scan too.
 */
export function seriesCalendar(kind: SeriesKind): Calendar {
  return {
    name: `recurring ${kind.table}`,
    due: ({ services, asOf, companyId }) =>
      companiesWithDueSeries(services.sql, kind, { asOf, now: services.clock.now(), companyId }),
    serve(scan, companyId) {
      const failed: number[] = [];
      return () => rollBatch(scan, kind, companyId, failed);
    },
  };
}

/** Rolls a batch in one transaction or, if that fails, each of its series in its own. Adds those that fail to `failed`. */
async function rollBatch(scan: Scan, kind: SeriesKind, companyId: number, failed: number[]): Promise<Served> {
  let claimed: readonly DueSeries[] = [];
  try {
    return await roll(scan, kind, companyId, { except: failed }, (series) => (claimed = series));
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (claimed.length > 0) return rollOneByOne(scan, kind, companyId, claimed, failed);
    scan.observer.failed({ kind: kind.name, companyId, id: null }, error);
    return 'failed';
  }
}

async function rollOneByOne(
  scan: Scan,
  kind: SeriesKind,
  companyId: number,
  claimed: readonly DueSeries[],
  failed: number[],
): Promise<Served> {
  for (const { id } of claimed) {
    try {
      await roll(scan, kind, companyId, { only: id });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      failed.push(id);
      scan.observer.failed({ kind: kind.name, companyId, id }, error);
      // Each further series of the company would wait for the same lock.
      if (toDatabaseUnavailable(error) !== null) return 'failed';
      if (failed.length < FAILURES_OF_COMPANY) continue;
      const reason = new Error('too many series of this company failed; a later scan retries the rest');
      scan.observer.failed({ kind: kind.name, companyId, id: null }, reason);
      return 'failed';
    }
  }
  return 'more';
}

async function roll(
  { services, requestId = null, asOf, wait, observer }: Scan,
  kind: SeriesKind,
  companyId: number,
  which: DueRequest['which'],
  claim: (series: readonly DueSeries[]) => void = () => undefined,
): Promise<Served> {
  const { series: most, occurrences } = kind.batch;
  let isFull = false;
  const { planned, emails } = await services.performForInstallation(`schedule:${kind.table}`, async (work) => {
    const ofCompany = { ...work.forCompany(companyId), requestId };
    const request = { companyId, asOf, now: work.now, which, limit: most };
    const found = await findDueSeries(work.sql, kind, request, wait ? 'wait' : 'skip locked');
    const { due } = found;
    isFull = found.isFull;
    claim(due);
    const limit = Math.max(1, Math.floor(occurrences / due.length));
    const batch = await planBatch(ofCompany, kind, due, { asOf, now: work.now, limit });
    await writeBatch(ofCompany, kind, batch);
    return { planned: batch, emails: work.recordedJobs.length };
  });
  report(observer, kind, planned);
  if (emails > 0) observer.emailed?.(emails);
  const now = services.clock.now();
  const isStillDue = ({ dueAt, nextDueDate }: PlannedSeries): boolean =>
    dueAt !== null && nextDueDate !== null && (asOf === null ? dueAt <= now : nextDueDate <= asOf);
  // Another scan has claimed all found series, and continues.
  if (planned.length === 0 && !wait) return 'done';
  return isFull || planned.some(isStillDue) ? 'more' : 'done';
}

/** Series of one query. Each query skips, by OFFSET, the series that earlier queries have read. */
const PREVIEW_BATCH = 5_000;

/** Reports the occurrences that {@link seriesCalendar} would make now. Locks and writes nothing. */
export async function previewSeries(
  { services, asOf, companyId: only, observer }: Scan,
  kind: SeriesKind,
): Promise<void> {
  const { sql, clock } = services;
  const when = { asOf, now: clock.now() };
  for (const companyId of await companiesWithDueSeries(sql, kind, { ...when, companyId: only })) {
    const request = { companyId, ...when, which: { except: [] }, limit: PREVIEW_BATCH };
    for (let seen = 0, count = PREVIEW_BATCH; count === PREVIEW_BATCH; seen += count) {
      const { due } = await findDueSeries(sql, kind, request, 'none', seen);
      for (const one of due) await preview(one);
      count = due.length;
    }
  }

  async function preview(series: DueSeries): Promise<void> {
    const { companyId, id } = series;
    try {
      report(observer, kind, await planBatch({ sql, companyId }, kind, [series], { ...when, limit: Infinity }));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      observer.failed({ kind: kind.name, companyId, id }, error);
    }
  }
}

function report(observer: Scan['observer'], kind: SeriesKind, planned: readonly PlannedSeries[]): void {
  for (const { series, dates } of planned) {
    for (const date of dates) observer.created(kind.name, series.companyId, { seriesId: series.id, date });
  }
}

/**
 * Tests whether MySQL or Redis is unavailable, which fails the whole scan. A lock timeout, or a statement that took too long, fails only its
 * company.
 */
export function isUnavailable(error: unknown): boolean {
  const database = toDatabaseUnavailable(error);
  if (database === null) return error instanceof ServiceUnavailable;
  return database.reason === 'unavailable' && !isResponseTimeout(database.cause);
}
