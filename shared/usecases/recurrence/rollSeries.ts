import { toDatabaseUnavailable } from '../../database/databaseErrors';
import type { Sql } from '../../database/sql';
import { ServiceUnavailable } from '../../errors';
import { noCompany } from '../companies/createCompany';
import { findDueSeries, type DueRequest, type DueSeries } from './dueSeries';
import { Failures } from './Failures';
import { groupBy } from './groupBy';
import { planBatch, type PlannedSeries } from './planBatch';
import type { SeriesKind } from './SeriesKind';
import type { Sweep } from './Sweep';
import { writeBatch } from './writeBatch';

/**
 * Makes every occurrence that is due, of all companies, the longest overdue first, in bounded transactions: each inserts
 * occurrences (one for a series and date, by a unique key) and moves `nextDueDate` on, or does neither. Any number may run at
 * once. A series that fails is tried alone, told of and left for the next sweep; so is a company that many fail.
 * @throws {ServiceUnavailable} when MySQL is away; {@link Error} when nearly nothing works.
 */
export async function rollSeries(sweep: Sweep, kind: SeriesKind): Promise<void> {
  const failures = new Failures();
  while (sweep.signal?.aborted !== true) {
    if ((await rollBatch(sweep, kind, failures)) === 0) return;
    if (failures.isTooMuch) throw new Error(`the sweep of recurring ${kind.table} is given up: too much fails`);
  }
}

/** One transaction, or one for each of its series where that one failed. Answers how many series it was about. */
async function rollBatch(sweep: Sweep, kind: SeriesKind, failures: Failures): Promise<number> {
  let claimed: readonly DueSeries[] = [];
  try {
    await roll(sweep, kind, { except: failures.leftOut }, (series) => (claimed = series));
  } catch (error) {
    if (isAway(error) || claimed.length === 0) throw error;
    for (const series of claimed) {
      if (!failures.leavesOut(series)) await rollAlone(sweep, kind, series, failures);
    }
  }
  return claimed.length;
}

async function rollAlone(sweep: Sweep, kind: SeriesKind, series: DueSeries, failures: Failures): Promise<void> {
  const { companyId, id } = series;
  try {
    await roll(sweep, kind, { only: series });
  } catch (error) {
    if (isAway(error)) throw error;
    sweep.observer.failed({ kind: kind.name, companyId, id }, error);
    // Each further series of the company would wait for the lock as long.
    if (toDatabaseUnavailable(error) !== null) return failures.leaveOut(companyId);
    if (!failures.add(series)) return;
    const reason = new Error('so many of its series fail that the others are left for the next sweep');
    sweep.observer.failed({ kind: kind.name, companyId, id: null }, reason);
  }
}

async function roll(
  { services, asOf, wait, observer }: Sweep,
  kind: SeriesKind,
  which: DueRequest['which'],
  claim: (series: readonly DueSeries[]) => void = () => undefined,
): Promise<void> {
  const planned = await services.perform(noCompany(`schedule:${kind.table}`), async (uow) => {
    const request = { asOf, now: uow.now, which, limit: kind.atOnce.series };
    const found = await findDueSeries(uow.sql, kind, request, wait ? 'wait' : 'skip locked');
    const due =
      kind.atOnce.companies === 1 ? found.filter(({ companyId }) => companyId === found[0]?.companyId) : found;
    claim(due);
    const limit = Math.max(1, Math.floor(kind.atOnce.occurrences / due.length));
    const batch: PlannedSeries[] = [];
    for (const [companyId, series] of groupBy(due, (one) => one.companyId)) {
      const ofCompany = { ...uow, companyId };
      const plan = await planBatch(ofCompany, kind, series, { asOf, now: uow.now, limit });
      await writeBatch(ofCompany, kind, plan);
      batch.push(...plan);
    }
    return batch;
  });
  tell(observer, kind, planned);
}

/** Each look begins with counting those that were seen. */
const PREVIEWED_AT_ONCE = 5_000;

/** What {@link rollSeries} would make now; nothing is locked or written. */
export async function previewSeries({ services, asOf, observer }: Sweep, kind: SeriesKind): Promise<void> {
  const { sql, clock } = services;
  const request = { asOf, now: clock.now(), which: { except: new Failures().leftOut }, limit: PREVIEWED_AT_ONCE };
  for (let seen = 0; ; seen += request.limit) {
    const due = await findDueSeries(sql, kind, request, 'none', seen);
    for (const [companyId, series] of groupBy(due, (one) => one.companyId)) {
      for (const one of series) await preview({ sql, companyId }, one);
    }
    if (due.length < request.limit) return;
  }

  async function preview(ofCompany: { sql: Sql; companyId: number }, series: DueSeries): Promise<void> {
    try {
      tell(observer, kind, await planBatch(ofCompany, kind, [series], { ...request, limit: Infinity }));
    } catch (error) {
      if (isAway(error)) throw error;
      observer.failed({ kind: kind.name, companyId: ofCompany.companyId, id: series.id }, error);
    }
  }
}

function tell(observer: Sweep['observer'], kind: SeriesKind, planned: readonly PlannedSeries[]): void {
  for (const { series, dates } of planned) {
    for (const date of dates) observer.created(kind.name, series.companyId, { seriesId: series.id, date });
  }
}

/** MySQL or Redis is unavailable: fail the whole scan, do not blame one series. A lock that is held concerns only its company. */
export function isAway(error: unknown): boolean {
  const database = toDatabaseUnavailable(error);
  return database === null ? error instanceof ServiceUnavailable : database.reason === 'unavailable';
}
