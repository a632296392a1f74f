import 'reflect-metadata';
import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import { type Model, type ModelCtor, Sequelize } from 'sequelize-typescript';
import { readDatabaseUrl } from '../../../config/databaseUrl';
import type { Config } from '../../../config/env';
import { isNotPrepared } from './databaseErrors';
import type { DatabaseClock } from './DatabaseClock';
import { query, useLeanTransactions } from './leanTransactions';
import { meterConnection } from './meterConnection';

export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'databaseTimeoutMs'>;

const SILENT_SESSION_S = 20;
const SILENT_TRANSACTION_S = 10;
/** The server ends a statement this long after the client has timed out. */
const ENDED_AFTER_MS = 1_000;
/** Well below `SILENT_SESSION_S`: the pool closes an idle connection before the server does. */
const IDLE_CONNECTION_MS = 10_000;

/**
 * Opens a connection pool that connects lazily. Every session is UTC, strict, and READ COMMITTED: the service takes its locks
 * explicitly, and without gap locks concurrent creates do not deadlock. Each new connection compares `clock` with MySQL's
 * before its first statement.
 */
export function openDatabase(
  { databaseUrl, databasePoolSize, databaseTimeoutMs }: DatabaseConfig,
  models: ModelCtor<Model>[],
  clock?: DatabaseClock,
): Sequelize {
  const { url, ssl } = readDatabaseUrl(databaseUrl);
  const sequelize = new Sequelize(url, {
    dialect: 'mysql',
    logging: false,
    timezone: '+00:00',
    // Set below, with the other variables of the session. The option is not in Sequelize's types.
    ...({ keepDefaultTimezone: true } as object),
    models,
    pool: { max: databasePoolSize, min: 0, idle: IDLE_CONNECTION_MS, evict: 1_000, acquire: 5_000 },
    dialectOptions: {
      charset: 'utf8mb4_unicode_520_ci',
      connectTimeout: 3_000,
      ...(ssl && { ssl }),
      enableKeepAlive: true,
      keepAliveInitialDelay: 5_000,
      maxPreparedStatements: 200,
      // The driver's own types (DATE as text, DATETIME as Date) are the same as Sequelize's and several times faster.
      typeCast: true,
      dateStrings: ['DATE'],
    },
    define: { timestamps: false },
    hooks: {
      afterConnect: async (connection) => {
        const opened = connection as OpenedConnection;
        await initialise(opened, databaseTimeoutMs);
        meterConnection(opened);
        sendModelsAsTexts(opened);
        await clock?.compare((sql) => query(opened, sql));
      },
    },
  });
  // Sequelize does not know that both servers have it.
  (sequelize as unknown as { dialect: { supports: { skipLocked?: boolean } } }).dialect.supports.skipLocked = true;
  useLeanTransactions(sequelize);
  return sequelize;
}

type OpenedConnection = Connection & { readonly stream: Socket };

type Sent = (error: Error | null, result?: unknown) => void;
type Execute = (sql: unknown, values: unknown, sent: Sent) => unknown;

/** Sends what Sequelize prepares, the changes of models, as texts if MySQL has no room for another prepared statement. */
function sendModelsAsTexts(connection: OpenedConnection): void {
  const execute = connection.execute.bind(connection) as Execute;
  const asText = connection.query.bind(connection) as Execute;
  const executeModels: Execute = (sql, values, sent) => {
    const orAsText: Sent = (error, result) => (isNotPrepared(error) ? asText(sql, values, sent) : sent(error, result));
    return execute(sql, values, typeof sql === 'string' ? orAsText : sent);
  };
  connection.execute = executeModels as typeof connection.execute;
}

async function initialise(connection: OpenedConnection, timeoutMs: number): Promise<void> {
  // The pool closes idle connections before this time-out.
  connection.stream.setTimeout(timeoutMs, () => {
    connection.stream.destroy(Object.assign(new Error('the database did not respond in time'), { code: 'ETIMEDOUT' }));
  });
  await query(connection, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await query(connection, sessionVariables(timeoutMs));
}

/**
 * - Strict mode: a value that does not fit is an error and is never truncated, whatever the server's default is.
 * - The lock time-out is shorter than the response time-out. So a locked row is a lock time-out, and a frozen server is a lost
 *   connection.
 * - A process that vanishes without closing its connections (a lost machine, a firewall) leaves its transactions and their
 *   locks to the server. The server ends a session that is silent for `SILENT_SESSION_S`, sooner in a transaction (MariaDB only).
 * - A closed connection does not end its statement, so the server has a time-out of its own: MariaDB for every statement, MySQL for
 *   SELECT. It comes after the connection was closed, so it ends no COMMIT whose outcome is awaited. Migrations and backups have
 *   connections of their own.
 */
function sessionVariables(timeoutMs: number): string {
  const lockWaitS = Math.max(1, Math.floor(timeoutMs / 5_000));
  const variables = [
    "time_zone = '+00:00'",
    "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'",
    `innodb_lock_wait_timeout = ${lockWaitS}`,
    `lock_wait_timeout = ${lockWaitS}`,
    `wait_timeout = ${SILENT_SESSION_S}`,
  ];
  const endedMs = timeoutMs + ENDED_AFTER_MS;
  // MariaDB runs comments of the first kind, and MySQL those of the second.
  return `SET SESSION ${variables.join(', ')}
    /*M!100300 , idle_transaction_timeout = ${SILENT_TRANSACTION_S}, max_statement_time = ${endedMs / 1_000} */
    /*!80000 , max_execution_time = ${endedMs} */`;
}
