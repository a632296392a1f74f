import { placeholders, toSqlTime, type Sql, type SqlValue } from './sql';

/** A row to insert, by column. Dates and booleans are converted for their columns. */
export type NewRow = Readonly<Record<string, SqlValue | Date | boolean>>;

/** Rows of one statement: what is made of them takes the event loop less than a millisecond. */
export const ROWS_PER_STATEMENT = 50;

/** Inserts one row by a prepared statement, without a model. Returns its AUTO_INCREMENT id. */
export const insertRow = (sql: Sql, table: string, row: NewRow): Promise<number> => insertRows(sql, table, [row]);

/** Inserts rows that all have the same columns, in the same order. Returns the AUTO_INCREMENT id of the first one; 0 for none. */
export async function insertRows(sql: Sql, table: string, rows: readonly NewRow[]): Promise<number> {
  let firstId = 0;
  for (const [text, values] of statements(table, rows)) {
    const { insertId } = await sql.run(text, values);
    firstId ||= insertId;
  }
  return firstId;
}

/** Changes rows, of which all columns without a default are given, in few statements. Rows that do not exist are inserted. */
export async function putRows(
  sql: Sql,
  table: string,
  rows: readonly NewRow[],
  changed: readonly string[],
): Promise<void> {
  // The successor of VALUES() is not known to MariaDB.
  const change = changed.map((column) => `${column} = VALUES(${column})`).join(', ');
  for (const [text, values] of statements(table, rows)) {
    await sql.run(`${text} ON DUPLICATE KEY UPDATE ${change}`, values);
  }
}

function* statements(table: string, rows: readonly NewRow[]): Generator<[text: string, values: SqlValue[]]> {
  const columns = Object.keys(rows[0] ?? {});
  const one = `(${placeholders(columns.length)})`;
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const some = rows.slice(from, from + ROWS_PER_STATEMENT);
    const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${some.map(() => one).join(', ')}`;
    yield [text, some.flatMap((row) => Object.values(row).map(toSqlValue))];
  }
}

/** Returns a value as its column takes it. */
export function toSqlValue(value: SqlValue | Date | boolean): SqlValue {
  if (value instanceof Date) return toSqlTime(value);
  return typeof value === 'boolean' ? Number(value) : value;
}
