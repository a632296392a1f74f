import { placeholders } from './sql';
import type { UnitOfWork } from './unitOfWork';

/** Numbers that one statement looks up. */
const MOST_LOOKED_UP = 512;

/** The records that have the numbers of a series. */
interface Numbered<T> {
  readonly table: 'invoice_numbers' | 'credit_notes';
  /** The number's column, unique in a company. */
  readonly column: string;
  readonly numberOf: (value: number) => string;
  /** Gives a record the number. Returns null where another one has it. */
  readonly take: (number: string) => Promise<T | null>;
}

/**
 * Takes the next number of a company's series that no record has yet, and returns what `take` returned. Callers may have taken any number
 * of them: what follows a taken number is looked up in groups that grow, and a group that is taken as a whole is passed over.
 */
export async function takeNextNumber<T>(uow: UnitOfWork, series: string, numbered: Numbered<T>): Promise<T> {
  const skip = 'UPDATE number_sequences SET nextValue = ? WHERE companyId = ? AND series = ?';
  for (;;) {
    const value = await nextOfSequence(uow, series);
    const taken = await numbered.take(numbered.numberOf(value));
    if (taken !== null) return taken;
    let free = value + 1;
    for (let size = 1; await areTaken(uow, numbered, free, size); size = Math.min(2 * size, MOST_LOOKED_UP))
      free += size;
    await uow.sql.run(skip, [free, uow.companyId, series]);
  }
}

async function areTaken<T>(
  { sql, companyId }: UnitOfWork,
  { table, column, numberOf }: Numbered<T>,
  first: number,
  size: number,
): Promise<boolean> {
  const numbers = Array.from({ length: size }, (_, index) => numberOf(first + index));
  const [found] = await sql.rows<{ count: number }>(
    `SELECT COUNT(*) AS count FROM ${table} WHERE companyId = ? AND ${column} IN (${placeholders(size)})`,
    [companyId, ...numbers],
  );
  return found?.count === size;
}

/**
 * Returns the next number of a company's series: gapless, because the count rolls back with the transaction. It locks the series until
 * the commit, so call it late. One round trip: LAST_INSERT_ID(expr) makes the value that was taken the statement's insert id (MySQL
 * manual).
 */
async function nextOfSequence({ sql, companyId }: UnitOfWork, series: string): Promise<number> {
  const key = [companyId, series];
  const take =
    'UPDATE number_sequences SET nextValue = LAST_INSERT_ID(nextValue) + 1 WHERE companyId = ? AND series = ?';
  const taken = await sql.run(take, key);
  if (taken.affectedRows > 0) return taken.insertId;
  await sql.run('INSERT IGNORE INTO number_sequences (companyId, series, nextValue) VALUES (?, ?, 1)', key);
  return (await sql.run(take, key)).insertId;
}
