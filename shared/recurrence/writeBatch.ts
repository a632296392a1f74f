import { placeholders, toSqlTime, type UnitOfWork } from '../engine/db';
import { groupBy, nextUpdatedAtSql } from '../engine/records';
import type { PlannedSeries } from './planBatch';
import type { Occurrence, SeriesKind } from './SeriesKind';

/** Makes the planned occurrences of a company and advances its series. The caller has locked the rows of the series. */
export async function writeBatch(uow: UnitOfWork, kind: SeriesKind, planned: readonly PlannedSeries[]): Promise<void> {
  const occurrences = planned.flatMap(({ series, dates }) => dates.map((date) => ({ seriesId: series.id, date })));
  if (occurrences.length > 0) {
    const ids = await kind.create(uow, occurrences.sort(oldestFirst));
    await kind.created?.(uow, ids);
  }
  // Series with the same next date share a statement.
  for (const [nextDueDate, those] of groupBy(planned, (one) => one.nextDueDate)) {
    const dueAt = those[0].dueAt && toSqlTime(those[0].dueAt);
    await uow.sql.run(
      `UPDATE ${kind.table} SET nextDueDate = ?, dueAt = ?,
          updatedAt = ${nextUpdatedAtSql}
        WHERE companyId = ? AND id IN (${placeholders(those.length)})`,
      [nextDueDate, dueAt, toSqlTime(uow.now), uow.companyId, ...those.map(({ series }) => series.id)],
    );
  }
}

/** Orders by date, so that invoice numbers ascend with the dates. */
function oldestFirst(a: Occurrence, b: Occurrence): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return a.seriesId - b.seriesId;
}
