import type { Sql, SqlValue } from '../../shared/engine/db/sql';

/** A step of a plan, as EXPLAIN shows it. */
export interface Step {
  table: string;
  type: string;
  key: string | null;
  rows: string | number;
  Extra: string | null;
}

/** The plans of every statement that `use` reads by. */
export async function plansOf(sql: Sql, use: (sql: Sql) => Promise<unknown>): Promise<Step[][]> {
  const statements: [string, readonly SqlValue[]][] = [];
  const rows: Sql['rows'] = (text, values = []) => {
    statements.push([text, values]);
    return sql.rows(text, values);
  };
  const rowsWithin: Sql['rowsWithin'] = (_, text, values) => rows(text, values);
  await use({ rows, rowsWithin, run: (text, values) => sql.run(text, values) });
  // After the time-out of a statement that has one.
  const explained = (text: string): string => text.replace(/^(\/\*M!.*? FOR \*\/ )?/, '$1EXPLAIN FORMAT=TRADITIONAL ');
  return Promise.all(statements.map(([text, values]) => sql.rows<Step>(explained(text), values)));
}
