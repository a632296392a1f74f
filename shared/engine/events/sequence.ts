import { isMissingTable, type Sql } from '../db';

/**
 * Numbers of a millisecond. A number is the time at which it was given, in microseconds since 1970, or one above the last. MySQL cannot
 * number a thousand events in a millisecond, so numbers do not run ahead of the clock.
 */
export const NUMBERS_PER_MS = 1_000;

/** How far a restore moves the numbers beyond the clock: the machine that gave the lost ones may have been ahead by this much. */
const MARGIN_S = 3_600;

/** Tests whether an event of any company has this number or a higher one. */
export const isGiven = async (sql: Sql, number: number): Promise<boolean> => (await lastNumber(sql)) >= number;

/** The numbers of events after a restore. */
export interface MovedSequence {
  /** By how much the next number is higher. */
  movedBy: number;
  /** The next number is above this one. */
  last: number;
}

/**
 * Moves the numbers of a restored installation above all that were given after its backup was made, so that a consumer that has read
 * those misses nothing that happens from now on. Returns null for a backup from before events had numbers of their own: theirs begin at
 * the time of the migration.
 */
export async function moveSequence(sql: Sql): Promise<MovedSequence | null> {
  try {
    const before = await lastNumber(sql);
    await sql.run(
      `UPDATE event_sequence
        SET last = GREATEST(last, CAST((UNIX_TIMESTAMP(NOW(6)) + ${MARGIN_S}) * 1000 * ${NUMBERS_PER_MS} AS UNSIGNED)) WHERE id = 1`,
    );
    const last = await lastNumber(sql);
    return { movedBy: last - before, last };
  } catch (error) {
    if (isMissingTable(error)) return null;
    throw error;
  }
}

async function lastNumber(sql: Sql): Promise<number> {
  const [row] = await sql.rows<{ last: number }>('SELECT last FROM event_sequence WHERE id = 1');
  if (row === undefined) throw new Error('event_sequence has no row');
  return row.last;
}
