import { SequelizeStorage, Umzug } from 'umzug';
import { Sequelize } from 'sequelize-typescript';
import { readDatabaseUrl } from '../../../config/databaseUrl';
import { isMissingTable } from './databaseErrors';
import { migrations } from './migrations';
import type { Sql } from './sql';

interface Migrator {
  up: () => Promise<string[]>;
  down: () => Promise<string[]>;
  pending: () => Promise<string[]>;
  done: () => Promise<string[]>;
}

/** Runs every pending migration, in order. Returns their names. Safe to call on several machines at the same time. */
export function migrateUp(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.up());
}

/** Reverts the newest migration. Returns its name in a list, or an empty list. */
export function migrateDown(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.down());
}

/** Returns the names of the migrations that have run and of those that are pending. */
export function migrationStatus(databaseUrl: string): Promise<{ done: string[]; pending: string[] }> {
  return withMigrator(databaseUrl, async (migrator) => ({
    done: await migrator.done(),
    pending: await migrator.pending(),
  }));
}

/** The migrations that have run, those of this version that have not, and those that this version does not know. */
export interface MigrationComparison {
  readonly done: readonly string[];
  readonly pending: readonly string[];
  readonly unknown: readonly string[];
}

/** Compares the schema with this version. Unlike {@link migrationStatus}, it only reads: it creates no table and takes no lock. */
export async function compareMigrations(sql: Sql): Promise<MigrationComparison> {
  const names = migrations.map(({ name }) => name);
  const done = await namesDone(sql);
  return {
    done,
    pending: names.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !names.includes(name)),
  };
}

async function namesDone(sql: Sql): Promise<string[]> {
  try {
    const rows = await sql.rows<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/** Returns the name of the newest migration. The code works only on a database on which it has run. */
export function newestMigration(): string {
  return migrations[migrations.length - 1]?.name ?? '';
}

async function withMigrator<T>(databaseUrl: string, use: (migrator: Migrator) => Promise<T>): Promise<T> {
  const { url, ssl } = readDatabaseUrl(databaseUrl);
  const sequelize = new Sequelize(url, {
    dialect: 'mysql',
    logging: false,
    // One connection: the named lock below belongs to the session.
    pool: { max: 1, idle: 600_000 },
    dialectOptions: { charset: 'utf8mb4_unicode_520_ci', ...(ssl && { ssl }) },
  });
  try {
    await sequelize.query("SELECT GET_LOCK(CONCAT('migrate-', SHA2(DATABASE(), 224)), 60)");
    return await use(migratorOf(sequelize));
  } finally {
    await sequelize.close();
  }
}

function migratorOf(sequelize: Sequelize): Migrator {
  const umzug = new Umzug({
    migrations: migrations.map((migration) => ({
      name: migration.name,
      up: () => migration.up(sequelize),
      down: () => migration.down(sequelize),
    })),
    storage: new SequelizeStorage({ sequelize, tableName: 'schema_migrations' }),
    logger: undefined,
  });
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return {
    up: async () => names(await umzug.up()),
    down: async () => names(await umzug.down()),
    pending: async () => names(await umzug.pending()),
    done: async () => names(await umzug.executed()),
  };
}
