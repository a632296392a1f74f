import { placeholders, type Sql } from '../engine/db';
import { addDays, dayIn, LAST_DAY, type DateOnly } from '../dates/dates';
import { planOccurrences, type OccurrencePlan } from './planOccurrences';
import type { DueSeries } from './dueSeries';
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
  const made = await existing(sql, companyId, kind, plans);
  return plans.map((plan) => ({ ...plan, dates: plan.dates.filter((date) => !made.has(keyOf(plan.series.id, date))) }));
}

async function existing(
  sql: Sql,
  companyId: number,
  { table }: SeriesKind,
  plans: readonly PlannedSeries[],
): Promise<Set<string>> {
  const all = plans.flatMap(({ dates }) => dates).sort();
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  const rows = await sql.rows<{ seriesId: number; occurrenceDate: DateOnly }>(
    `SELECT seriesId, occurrenceDate FROM ${table} FORCE INDEX (${table}_occurrence)
      WHERE companyId = ? AND seriesId IN (${placeholders(plans.length)}) AND occurrenceDate BETWEEN ? AND ?`,
    [companyId, ...plans.map(({ series }) => series.id), first, last],
  );
  return new Set(rows.map(({ seriesId, occurrenceDate }) => keyOf(seriesId, occurrenceDate)));
}

const keyOf = (seriesId: number, date: DateOnly): string => `${seriesId} ${date}`;
