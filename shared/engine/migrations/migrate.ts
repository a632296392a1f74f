import { Sequelize } from 'sequelize-typescript';
import { readDatabaseUrl } from '../../../config/databaseUrl';
import { migrations } from './steps';
import { compareMigrations } from './schemaVersion';
import { pooledSql } from '../db';
import { ServiceUnavailable } from '../errors';

/** How long a process waits for another one that migrates. */
const LONGEST_WAIT_S = 3_600;

/**
 * Runs every pending migration, in order. Returns their names. Safe to call on several machines at the same time: one of them migrates,
 * the others wait for it.
 * @throws {ServiceUnavailable} when another process has been migrating for longer than `waitS`.
 */
export function migrateUp(databaseUrl: string, { waitS = LONGEST_WAIT_S } = {}): Promise<string[]> {
  return withLock(databaseUrl, waitS, async (sequelize) => {
    await sequelize.query('CREATE TABLE IF NOT EXISTS schema_migrations (name VARCHAR(255) NOT NULL PRIMARY KEY)');
    const { pending } = await compareMigrations(pooledSql(sequelize));
    for (const migration of migrations.filter(({ name }) => pending.includes(name))) {
      await migration.up(sequelize);
      await sequelize.query('INSERT INTO schema_migrations (name) VALUES (?)', { replacements: [migration.name] });
    }
    return [...pending];
  });
}

/** Reverts the newest migration. Returns its name in a list, or an empty list. Waits and throws as {@link migrateUp} does. */
export function migrateDown(databaseUrl: string): Promise<string[]> {
  return withLock(databaseUrl, LONGEST_WAIT_S, async (sequelize) => {
    const { done } = await compareMigrations(pooledSql(sequelize));
    const newest = migrations.findLast(({ name }) => done.includes(name));
    if (newest === undefined) return [];
    await newest.down(sequelize);
    await sequelize.query('DELETE FROM schema_migrations WHERE name = ?', { replacements: [newest.name] });
    return [newest.name];
  });
}

/** Returns the names of the migrations that have run and of those that are pending. Creates no table and takes no lock. */
export function migrationStatus(databaseUrl: string): Promise<{ done: readonly string[]; pending: readonly string[] }> {
  return withConnection(databaseUrl, async (sequelize) => {
    const { done, pending } = await compareMigrations(pooledSql(sequelize));
    return { done, pending };
  });
}

function withLock<T>(databaseUrl: string, waitS: number, use: (sequelize: Sequelize) => Promise<T>): Promise<T> {
  return withConnection(databaseUrl, async (sequelize) => {
    const [lock] = await pooledSql(sequelize).rows<{ taken: number | null }>(
      "SELECT GET_LOCK(CONCAT('migrate-', SHA2(DATABASE(), 224)), ?) AS taken",
      [waitS],
    );
    if (lock?.taken !== 1) throw new ServiceUnavailable('the schema', undefined, 'is changed by another process');
    return use(sequelize);
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
