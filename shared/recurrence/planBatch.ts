import type { Sql } from '../engine/db';
import { addDays, dayIn, LAST_DAY, type DateOnly } from '../dates/dates';
import { planOccurrences, type OccurrencePlan } from './planOccurrences';
import type { DueSeries } from './dueSeries';
import { readOccurrences } from './readOccurrences';
import type { SeriesKind } from './SeriesKind';
import { cadenceOf, dueAtOf } from './SeriesState';

/** A series, the dates to make occurrences for, and its next due date after them. */
export interface PlannedSeries extends OccurrencePlan {
  series: DueSeries;
  /** When `nextDueDate` begins in the company's time zone. */
  dueAt: Date | null;
}

export interface PlanRequest {
  asOf: DateOnly | null;
  now: Date;
  /** The most dates of one series. */
  limit: number;
}

/**
 * Plans the occurrences of due series of one company. Skips dates that already have an occurrence, which happens when
 * `nextDueDate` was set back. The dates of a paused series pass without an occurrence.
 */
export async function planBatch(
  { sql, companyId }: { sql: Sql; companyId: number },
  kind: SeriesKind,
  due: readonly DueSeries[],
  { asOf, now, limit }: PlanRequest,
): Promise<PlannedSeries[]> {
  const [any] = due;
  if (any === undefined) return [];
  const { timezone } = any;
  const today = asOf ?? dayIn(timezone, now);
  const tomorrow = addDays(today, 1) ?? LAST_DAY;
  const plans = due.map((series) => {
    const cadence = cadenceOf(series);
    if (cadence === null) throw new Error(`${kind.name} ${series.id} is due but is no series`);
    const { nextDueDate, endsOn } = series;
    const since = series.paused === 1 ? tomorrow : series.recurringSince;
    const plan = planOccurrences({ cadence, nextDueDate, since, endsOn }, today, limit);
    return { series, ...plan, dueAt: plan.nextDueDate === null ? null : dueAtOf(plan.nextDueDate, timezone) };
  });
  const planned = plans.flatMap(({ series: { id }, dates }) => dates.map((date) => ({ seriesId: id, date })));
  const existing = await readOccurrences(sql, companyId, kind.table, planned);
  const made = new Set(existing.map(({ seriesId, date }) => keyOf(seriesId, date)));
  return plans.map((plan) => ({ ...plan, dates: plan.dates.filter((date) => !made.has(keyOf(plan.series.id, date))) }));
}

const keyOf = (seriesId: number, date: DateOnly): string => `${seriesId} ${date}`;
