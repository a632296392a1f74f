import { placeholders, toSqlTime } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAtSql } from '../nextUpdatedAt';
import { groupBy } from './groupBy';
import type { PlannedSeries } from './planBatch';
import type { Occurrence, SeriesKind } from './SeriesKind';

/** Makes what is planned for a company and moves its series on; their rows are locked by this transaction. */
export async function writeBatch(uow: UnitOfWork, kind: SeriesKind, planned: readonly PlannedSeries[]): Promise<void> {
  const occurrences = planned.flatMap(({ series, dates }) => dates.map((date) => ({ seriesId: series.id, date })));
  if (occurrences.length > 0) await kind.create(uow, occurrences.sort(oldestFirst));
  // Series that go on to the same date share a statement.
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

/** So that numbers that are given one after the other ascend with the dates. */
function oldestFirst(a: Occurrence, b: Occurrence): number {
  if (a.date !== b.date) return a.date < b.date ? -1 : 1;
  return a.seriesId - b.seriesId;
}
