import { toSqlTime, type UnitOfWork } from '../engine/db';
import type { DateOnly } from '../dates/dates';
import { seriesTables } from './SeriesKind';
import { dueAtOf } from './SeriesState';

/**
 * Recomputes `dueAt` of all series of a company after a change of its time zone. The caller has locked the company's row, so no
 * other transaction dates a series by the old zone meanwhile.
 */
export async function moveMidnight(uow: UnitOfWork, timezone: string): Promise<void> {
  for (const table of seriesTables) {
    const due = await uow.sql.rows<{ dueAt: string; nextDueDate: DateOnly }>(
      `SELECT DISTINCT dueAt, nextDueDate FROM ${table} FORCE INDEX (PRIMARY) WHERE companyId = ? AND dueAt IS NOT NULL`,
      [uow.companyId],
    );
    for (const { dueAt, nextDueDate } of due) {
      await uow.sql.run(`UPDATE ${table} SET dueAt = ? WHERE dueAt = ? AND companyId = ? AND nextDueDate = ?`, [
        toSqlTime(dueAtOf(nextDueDate, timezone)),
        dueAt,
        uow.companyId,
        nextDueDate,
      ]);
    }
  }
}
