import { padded, type Sql } from '../engine/db';
import type { Occurrence, SeriesKind } from './SeriesKind';

/** Occurrences of one statement. */
const AT_A_TIME = 400;

/**
 * Returns those of the given occurrences that exist, deleted ones too. Each is looked up by its own date: if one of many series was set back
 * for years, a range over all dates would read those years of every series.
 */
export async function readOccurrences(
  sql: Sql,
  companyId: number,
  table: SeriesKind['table'],
  given: readonly Occurrence[],
): Promise<(Occurrence & { id: number })[]> {
  const found: (Occurrence & { id: number })[] = [];
  for (let at = 0; at < given.length; at += AT_A_TIME) {
    const asked = padded(given.slice(at, at + AT_A_TIME));
    const rows = await sql.rows<Occurrence & { id: number }>(
      `SELECT id, seriesId, occurrenceDate AS date FROM ${table} FORCE INDEX (${table}_occurrence)
        WHERE companyId = ? AND (seriesId, occurrenceDate) IN (${asked.map(() => '(?, ?)').join(', ')})`,
      [companyId, ...asked.flatMap(({ seriesId, date }) => [seriesId, date])],
    );
    found.push(...rows);
  }
  return found;
}
