import { QueryTypes } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';

/** A reversible change of the schema, the default export of its file. DDL does not roll back, so it has few statements. */
export interface SchemaChange {
  up(sql: Sequelize): Promise<void>;
  down(sql: Sequelize): Promise<void>;
}

/** A change with the name of its file, which begins with the time of writing and never changes. */
export interface Migration extends SchemaChange {
  readonly name: string;
}

/** Runs the statements of `up` in turn and, going down, those of `down`. */
export function inStatements({ up, down }: Record<'up' | 'down', readonly string[]>): SchemaChange {
  const run = (statements: readonly string[]) => async (sql: Sequelize) => {
    for (const statement of statements) await sql.query(statement);
  };
  return { up: run(up), down: run(down) };
}

/** Creates one table, with the rows that the further statements insert, and, going down, drops it. */
export function createTable(table: string, definition: string, ...rows: readonly string[]): SchemaChange {
  return inStatements({
    up: [
      `CREATE TABLE ${table} (${definition}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`,
      ...rows,
    ],
    down: [`DROP TABLE ${table}`],
  });
}

/** Creates one table of companies' records. Each has an `id` of its own; the primary key begins with its `companyId`. */
export function createCompanyTable(table: string, definition: string): SchemaChange {
  return createTable(
    table,
    `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY ${table}_id (id),
    ${definition}`,
  );
}

/** Events of one statement: a lock lasts for milliseconds. */
const BATCH = 2_000;

/**
 * Runs an UPDATE of events in batches; its two placeholders are the first and the last id of one. Runs beside the processes of the version
 * before, can be repeated after a crash, and is not reverted.
 */
export function updateEvents(update: string): SchemaChange {
  return {
    up: async (sql) => {
      const [range] = await sql.query<{ first: number | null; last: number | null }>(
        'SELECT MIN(id) AS first, MAX(id) AS last FROM events',
        { type: QueryTypes.SELECT },
      );
      const [first, last] = [Number(range?.first ?? 1), Number(range?.last ?? 0)];
      for (let from = first; from <= last; from += BATCH) {
        await sql.query(update, { replacements: [from, Math.min(last, from + BATCH - 1)] });
      }
    },
    down: () => Promise.resolve(),
  };
}
