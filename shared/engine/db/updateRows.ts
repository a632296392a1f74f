import { type NewRow, toSqlValue } from './insert';
import { padded, placeholders, type Sql, type SqlText, type SqlValue } from './sql';

/** A row of a company, and the values that it must have. */
export interface RowMatch {
  id: number;
  only?: NewRow;
}

/**
 * Changes rows of one company in one statement, each to its own values. A row that does not match its `only` is left alone. All changes
 * have the same columns. Returns how many rows matched.
 */
export async function updateRows(
  sql: Sql,
  table: string,
  companyId: number,
  changes: readonly (RowMatch & { set: NewRow })[],
): Promise<number> {
  const ids = padded(changes.map(({ id }) => id));
  const set = columnsPerRow(ids, changes, ({ set }) => set);
  const where = rowsOf(companyId, changes);
  const { affectedRows } = await sql.run(
    `UPDATE ${table} FORCE INDEX (PRIMARY) SET ${set.map(({ text }) => text).join(', ')} WHERE ${where.text}`,
    [...set.flatMap(({ values }) => values), ...where.values],
  );
  return affectedRows;
}

/** SQL for the rows of a company that match. */
export function rowsOf(companyId: number, rows: readonly RowMatch[]): SqlText {
  const ids = padded(rows.map(({ id }) => id));
  const only = columnsPerRow(ids, rows, ({ only = {} }) => only);
  return {
    text: ['companyId = ?', `id IN (${placeholders(ids.length)})`, ...only.map(({ text }) => text)].join(' AND '),
    values: [companyId, ...ids, ...only.flatMap(({ values }) => values)],
  };
}

/** SQL for each column with its value, which may differ by row. */
function columnsPerRow<T>(ids: readonly number[], rows: readonly T[], columnsOf: (row: T) => NewRow): SqlText[] {
  const all = rows.map(columnsOf);
  return Object.keys(all[0] ?? {}).map((column) => {
    const ofRows = all.map((columns) => toSqlValue(columns[column] ?? null));
    const { text, values } = perRow(ids, ofRows);
    return { text: `${column} = ${text}`, values };
  });
}

/**
 * SQL for a value that differs by row: that of `values` at the place at which the row's `id` is in `ids`, which may be {@link padded}. One
 * value for all is written once.
 */
export function perRow(ids: readonly number[], values: readonly SqlValue[]): SqlText {
  const [first = null] = values;
  if (values.every((value) => value === first)) return { text: '?', values: [first] };
  const list = placeholders(ids.length);
  return { text: `ELT(FIELD(id, ${list}), ${list})`, values: [...ids, ...padded(values)] };
}
