import { fromSqlTime, placeholders, toSqlTime, type UnitOfWork } from '../engine/db';
import type { DateOnly } from '../dates/dates';
import { seriesTables } from './SeriesKind';
import { dueAtOf } from './SeriesState';

/** Instants of one statement. The midnights of their dates are computed in one piece. */
const INSTANTS = 200;

type SeriesTable = (typeof seriesTables)[number];

/**
 * Recomputes `dueAt` of all series of a company after a change of its time zone. The caller has locked the company's row, so no
 * other transaction dates a series by the old zone meanwhile.
 */
export async function moveMidnight(uow: UnitOfWork, timezone: string): Promise<void> {
  for (const table of seriesTables) {
    let after = '1000-01-01';
    for (let last = await lastOfNext(uow, table, after); last !== null; last = await lastOfNext(uow, table, after)) {
      await move(uow, table, timezone, { after, last });
      after = last;
    }
  }
}

/** Returns the last of the next {@link INSTANTS} at which series of the company are due. */
async function lastOfNext(uow: UnitOfWork, table: SeriesTable, after: string): Promise<string | null> {
  const [row] = await uow.sql.rows<{ last: string | null }>(
    `SELECT MAX(dueAt) AS last FROM (
       SELECT DISTINCT dueAt FROM ${table} FORCE INDEX (${table}_due)
        WHERE companyId = ? AND dueAt > ? ORDER BY dueAt LIMIT ${INSTANTS}) AS next`,
    [uow.companyId, after],
  );
  return row?.last ?? null;
}

/** Series that become due later than `last` are read again with the next instants, and keep their new one. */
async function move(
  uow: UnitOfWork,
  table: SeriesTable,
  timezone: string,
  { after, last }: { after: string; last: string },
): Promise<void> {
  const due = await uow.sql.rows<{ dueAt: string; nextDueDate: DateOnly }>(
    `SELECT DISTINCT dueAt, nextDueDate FROM ${table} FORCE INDEX (${table}_due)
      WHERE companyId = ? AND dueAt > ? AND dueAt <= ?`,
    [uow.companyId, after, last],
  );
  const moved = due.flatMap(({ dueAt: before, nextDueDate }) => {
    const dueAt = dueAtOf(nextDueDate, timezone);
    return dueAt.getTime() === fromSqlTime(before).getTime() ? [] : [{ before, nextDueDate, dueAt: toSqlTime(dueAt) }];
  });
  if (moved.length === 0) return;
  const marks = placeholders(moved.length);
  await uow.sql.run(
    `UPDATE ${table} SET dueAt = CASE nextDueDate ${'WHEN ? THEN ? '.repeat(moved.length)} END
      WHERE dueAt IN (${marks}) AND companyId = ? AND nextDueDate IN (${marks})`,
    [
      ...moved.flatMap(({ nextDueDate, dueAt }) => [nextDueDate, dueAt]),
      ...moved.map(({ before }) => before),
      uow.companyId,
      ...moved.map(({ nextDueDate }) => nextDueDate),
    ],
  );
}
