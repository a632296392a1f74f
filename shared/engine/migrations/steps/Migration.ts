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

/** Runs the changes in turn and, going down, reverts the last one first. */
export function inTurn(...changes: readonly SchemaChange[]): SchemaChange {
  return {
    up: async (sql) => {
      for (const change of changes) await change.up(sql);
    },
    down: async (sql) => {
      for (const change of changes.toReversed()) await change.down(sql);
    },
  };
}

/**
 * Creates one table, with the rows that the further statements insert, and, going down, drops it. One with a `companyId` refers to the
 * company, unless its definition has a foreign key.
 */
export function createTable(table: string, definition: string, ...rows: readonly string[]): SchemaChange {
  const isOfCompany = definition.includes('companyId ') && !definition.includes('FOREIGN KEY');
  const refers = isOfCompany ? `, CONSTRAINT ${table}_company FOREIGN KEY (companyId) REFERENCES companies (id)` : '';
  return inStatements({
    up: [
      `CREATE TABLE ${table} (${definition}${refers}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci`,
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

/** Creates one table of companies' records as {@link createCompanyTable} does, with `createdAt` and `updatedAt` as its last columns. */
export const createRecordTable = (table: string, definition: string): SchemaChange =>
  createCompanyTable(table, `${definition}, createdAt DATETIME(3) NOT NULL, updatedAt DATETIME(3) NOT NULL`);

/**
 * Adds columns, each with its definition, and, going down, drops them. `INSTANT` changes no row: MySQL 8.0.12 and MariaDB 10.3 can add last
 * columns in this way, or refuse.
 */
export function addColumns(table: string, columns: Readonly<Record<string, string>>): SchemaChange {
  const added = Object.entries(columns).map(([name, definition]) => `ADD COLUMN ${name} ${definition}`);
  return inStatements({
    up: [`ALTER TABLE ${table} ${added.join(', ')}, ALGORITHM=INSTANT`],
    down: [`ALTER TABLE ${table} ${dropping('COLUMN', columns)}`],
  });
}

/** Adds keys, each with its columns, and, going down, drops them. They are built while the table is written to, or the server refuses. */
export function addKeys(
  table: string,
  keys: Readonly<Record<string, string>>,
  kind: 'KEY' | 'UNIQUE KEY' = 'KEY',
): SchemaChange {
  const added = Object.entries(keys).map(([name, columns]) => `ADD ${kind} ${name} (${columns})`);
  return inStatements({
    up: [`ALTER TABLE ${table} ${added.join(', ')}, ALGORITHM=INPLACE, LOCK=NONE`],
    down: [`ALTER TABLE ${table} ${dropping('KEY', keys)}`],
  });
}

type Key = readonly [name: string, columns: string];

/** Replaces a key by one with other columns, as {@link addKeys} adds them, and, going down, puts the first one back. */
export function replaceKey(table: string, before: Key, after: Key): SchemaChange {
  const replace = ([old]: Key, [name, columns]: Key): string =>
    `ALTER TABLE ${table} DROP KEY ${old}, ADD KEY ${name} (${columns}), ALGORITHM=INPLACE, LOCK=NONE`;
  return inStatements({ up: [replace(before, after)], down: [replace(after, before)] });
}

const dropping = (what: 'COLUMN' | 'KEY', named: object): string =>
  Object.keys(named)
    .map((name) => `DROP ${what} ${name}`)
    .join(', ');

/** Rows of one statement: a lock lasts for milliseconds. */
const BATCH = 2_000;

/** Repeats an UPDATE of a limited number of rows until none is left that it changes. It is not reverted. */
export function updateInBatches(update: string): SchemaChange {
  return {
    up: async (sql) => {
      for (let changed = BATCH; changed === BATCH;) {
        const updated = (await sql.query(`${update} LIMIT ${BATCH}`)) as [
          unknown,
          { affectedRows: number } | undefined,
        ];
        changed = updated[1]?.affectedRows ?? 0;
      }
    },
    down: () => Promise.resolve(),
  };
}

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
