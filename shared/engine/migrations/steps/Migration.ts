import type { Sequelize } from 'sequelize-typescript';

/**
 * One reversible change of the schema. Names begin with the time of writing and never change. DDL does not roll back, so a
 * migration has few statements.
 */
export interface Migration {
  name: string;
  up(sql: Sequelize): Promise<void>;
  down(sql: Sequelize): Promise<void>;
}

/** A migration that runs the statements of `up` in turn and, going down, those of `down`. */
export function inStatements(name: string, { up, down }: Record<'up' | 'down', readonly string[]>): Migration {
  const run = (statements: readonly string[]) => async (sql: Sequelize) => {
    for (const statement of statements) await sql.query(statement);
  };
  return { name, up: run(up), down: run(down) };
}

/** A migration that creates one table, with the rows that the further statements insert, and, going down, drops it. */
export function createTable(name: string, table: string, definition: string, ...rows: readonly string[]): Migration {
  return inStatements(name, {
    up: [
      `CREATE TABLE ${table} (${definition}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`,
      ...rows,
    ],
    down: [`DROP TABLE ${table}`],
  });
}
