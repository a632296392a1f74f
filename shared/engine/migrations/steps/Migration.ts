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

/** A migration that creates one table and, going down, drops it. */
export function createTable(name: string, table: string, definition: string): Migration {
  return {
    name,
    up: async (sql) => {
      await sql.query(
        `CREATE TABLE ${table} (${definition}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`,
      );
    },
    down: async (sql) => {
      await sql.query(`DROP TABLE ${table}`);
    },
  };
}
