import 'reflect-metadata';
import { Sequelize } from 'sequelize-typescript';
import { models } from './models';

export interface DatabaseOptions {
  /** `mysql://user:password@host:3306/database` (`mariadb://` is the same). */
  url: string;
  poolSize: number;
}

/**
 * Connects lazily; every session is UTC, strict, and READ COMMITTED: locks are explicit here, and without gap locks
 * concurrent creates do not deadlock.
 */
export function openDatabase({ url, poolSize }: DatabaseOptions): Sequelize {
  return new Sequelize(url.replace(/^mariadb:/, 'mysql:'), {
    dialect: 'mysql',
    logging: false,
    timezone: '+00:00',
    models,
    pool: { max: poolSize, min: 0, idle: 60_000, acquire: 5_000 },
    dialectOptions: {
      charset: 'utf8mb4_unicode_520_ci',
      connectTimeout: 3_000,
      enableKeepAlive: true,
      maxPreparedStatements: 200,
      // The driver's own types (DATE as text, DATETIME as Date) are the same as Sequelize's and several times faster.
      typeCast: true,
      dateStrings: ['DATE'],
    },
    define: { timestamps: false },
    hooks: {
      afterConnect: async (connection) => {
        await initialise(connection as InitialisedConnection);
      },
    },
  });
}

interface InitialisedConnection {
  query(sql: string, done: (error: Error | null) => void): void;
}

/** Strict mode: a value that does not fit is an error, never cut off, whatever the server's default is. */
async function initialise(connection: InitialisedConnection): Promise<void> {
  await run(connection, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await run(connection, "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'");
}

function run(connection: InitialisedConnection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()));
  });
}
