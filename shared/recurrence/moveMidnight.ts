import { placeholders, toSqlTime, type UnitOfWork } from '../engine/db';
import type { DateOnly } from '../dates/dates';
import { seriesTables } from './SeriesKind';
import { dueAtOf } from './SeriesState';

/** Dates of one statement. */
const DATES = 200;

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
    for (let done = 0; done < due.length; done += DATES) {
      const some = due.slice(done, done + DATES);
      const dates = some.map(({ nextDueDate }) => nextDueDate);
      const marks = placeholders(some.length);
      await uow.sql.run(
        `UPDATE ${table} SET dueAt = CASE nextDueDate ${'WHEN ? THEN ? '.repeat(some.length)} END
          WHERE dueAt IN (${marks}) AND companyId = ? AND nextDueDate IN (${marks})`,
        [
          ...dates.flatMap((date) => [date, toSqlTime(dueAtOf(date, timezone))]),
          ...some.map(({ dueAt }) => dueAt),
          uow.companyId,
          ...dates,
        ],
      );
    }
  }
}
