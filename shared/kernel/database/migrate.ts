import { SequelizeStorage, Umzug } from 'umzug';
import { Sequelize } from 'sequelize-typescript';
import { readDatabaseUrl } from '../../../config/databaseUrl';
import { migrations } from './migrations';
import { compareMigrations } from './schemaVersion';
import { pooledSql } from './sql';

interface Migrator {
  up: () => Promise<string[]>;
  down: () => Promise<string[]>;
}

/** Runs every pending migration, in order. Returns their names. Safe to call on several machines at the same time. */
export function migrateUp(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.up());
}

/** Reverts the newest migration. Returns its name in a list, or an empty list. */
export function migrateDown(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, (migrator) => migrator.down());
}

/** Returns the names of the migrations that have run and of those that are pending. Creates no table and takes no lock. */
export function migrationStatus(databaseUrl: string): Promise<{ done: readonly string[]; pending: readonly string[] }> {
  return withConnection(databaseUrl, async (sequelize) => {
    const { done, pending } = await compareMigrations(pooledSql(sequelize));
    return { done, pending };
  });
}

function withMigrator<T>(databaseUrl: string, use: (migrator: Migrator) => Promise<T>): Promise<T> {
  return withConnection(databaseUrl, async (sequelize) => {
    await sequelize.query("SELECT GET_LOCK(CONCAT('migrate-', SHA2(DATABASE(), 224)), 60)");
    return use(migratorOf(sequelize));
  });
}

async function withConnection<T>(databaseUrl: string, use: (sequelize: Sequelize) => Promise<T>): Promise<T> {
  const { url, ssl } = readDatabaseUrl(databaseUrl);
  const sequelize = new Sequelize(url, {
    dialect: 'mysql',
    logging: false,
    // One connection: the named lock above belongs to the session.
    pool: { max: 1, idle: 600_000 },
    dialectOptions: { charset: 'utf8mb4_unicode_520_ci', ...(ssl && { ssl }) },
  });
  try {
    return await use(sequelize);
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
  };
}
