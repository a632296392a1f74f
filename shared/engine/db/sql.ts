import type { Socket } from 'node:net';
import type { Connection, QueryOptions } from 'mysql2';
import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import type { WorkMeter } from '../fair';
import { isClosedByServer, isMisled, isNotPrepared, isStatementTimeout } from './databaseErrors';
import { MOST_COUNTED_MS } from './leanTransactions';
import { useMeter } from './meterConnection';

export type SqlValue = string | number | null;

/** A statement, or a part of one, with the values of its placeholders. */
export interface SqlText {
  text: string;
  values: readonly SqlValue[];
}

export interface RunResult {
  affectedRows: number;
  /** The AUTO_INCREMENT id of the (first) inserted row, or the value of LAST_INSERT_ID(expr). */
  insertId: number;
}

/**
 * Prepared statements on Sequelize's own connections, for the hot paths. Numbers are exact, also those of LIMIT and OFFSET. Rows are plain:
 * DECIMAL, DATE and DATETIME are strings (`2026-01-31 10:00:00.250`, UTC; a whole second may end after `:00`), BOOLEAN is 0 or 1, BIGINT a
 * number. A `meter` counts what the statement takes of the event loop ({@link measuredSql}); a transaction has its own.
 */
export interface Sql {
  rows<T extends object>(text: string, values?: readonly SqlValue[], meter?: WorkMeter): Promise<T[]>;
  /**
   * Returns the rows as {@link rows} does, or null when they take more than `maxBytes`. Holds at most a few rows more than that.
   * The rest is still received and dropped, so the statement itself must bound it.
   */
  rowsWithin<T extends object>(
    maxBytes: number,
    text: string,
    values?: readonly SqlValue[],
    meter?: WorkMeter,
  ): Promise<T[] | null>;
  run(text: string, values?: readonly SqlValue[], meter?: WorkMeter): Promise<RunResult>;
}

/** Runs statements outside of a transaction, each on any free connection. */
export function pooledSql(sequelize: Sequelize): Sql {
  const borrow = async <T>(meter: WorkMeter | null = null, use: (connection: Connection) => Promise<T>): Promise<T> => {
    meter?.lap();
    const connection = (await sequelize.connectionManager.getConnection({ type: 'write' } as never)) as Connection;
    useMeter(connection, meter);
    try {
      return await use(connection);
    } catch (error) {
      if (isMisled(error)) connection.destroy();
      throw error;
    } finally {
      useMeter(connection, null);
      // Its type says that it returns a promise; it returns nothing.
      void sequelize.connectionManager.releaseConnection(connection);
    }
  };
  return {
    rows: (text, values, meter) => readTwice(() => borrow(meter, (connection) => execute(connection, text, values))),
    rowsWithin: (maxBytes, text, values, meter) =>
      readTwice(() => borrow(meter, (connection) => executeWithin(connection, maxBytes, text, values))),
    run: (text, values, meter) => borrow(meter, (connection) => execute(connection, text, values)),
  };
}

/** What is made of so many rows takes the event loop some milliseconds. */
const MANY_ROWS = 200;

/**
 * Returns the same statements, counted by the meter. What is made of many rows runs alone in its turn of the event loop, also if a later
 * statement of the work returns few.
 */
export function measuredSql(sql: Sql, meter: WorkMeter): Sql {
  let hasMany = false;
  const inTurn = async <Rows extends object[] | null>(reading: Promise<Rows>): Promise<Rows> => {
    const rows = await reading;
    hasMany ||= rows !== null && rows.length >= MANY_ROWS;
    if (hasMany) await meter.breathe();
    return rows;
  };
  return {
    rows: (text, values) => inTurn(sql.rows(text, values, meter)),
    rowsWithin: (maxBytes, text, values) => inTurn(sql.rowsWithin(maxBytes, text, values, meter)),
    run: (text, values) => meter.atMost(MOST_COUNTED_MS, () => sql.run(text, values, meter)),
  };
}

/**
 * Returns the same reads, which the server ends when together they have taken about `seconds`. MariaDB runs the comment before a statement,
 * and MySQL knows the hint within. Whole seconds, so that few different statements are prepared.
 * @param late makes the error that an ended read throws
 */
export function limitedSql(sql: Sql, seconds: number, late: () => Error): Sql {
  const end = performance.now() + seconds * 1_000;
  const limited = (text: string): string => {
    const left = Math.max(1, Math.ceil((end - performance.now()) / 1_000));
    const hinted = text.replace('SELECT', `SELECT /*+ MAX_EXECUTION_TIME(${left}000) */`);
    return `/*M!100300 SET STATEMENT max_statement_time=${left} FOR */ ${hinted}`;
  };
  const inTime = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error: unknown) => Promise.reject(isStatementTimeout(error) ? late() : (error as Error)));
  return {
    rows: (text, values) => inTime(sql.rows(limited(text), values)),
    rowsWithin: (maxBytes, text, values) => inTime(sql.rowsWithin(maxBytes, limited(text), values)),
    run: (text, values) => sql.run(text, values),
  };
}

/** Retries a read once if the server had closed its idle connection, or serves nothing now. */
async function readTwice<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isClosedByServer(error) || isMisled(error)) return read();
    throw error;
  }
}

/** Runs statements inside a transaction, on its connection. */
export function transactionSql(transaction: Transaction): Sql {
  const connection = connectionOf(transaction);
  return {
    rows: (text, values) => execute(connection, text, values),
    rowsWithin: (maxBytes, text, values) => executeWithin(connection, maxBytes, text, values),
    run: (text, values) => execute(connection, text, values),
  };
}

/** Returns the connection of a transaction; it is not in Sequelize's types. */
export function connectionOf(transaction: Transaction): Connection {
  return (transaction as unknown as { connection: Connection }).connection;
}

function execute<T>(connection: Connection, sql: string, values: readonly SqlValue[] = []): Promise<T> {
  return preparedOrNot(values.length, (send, resolve, reject) => {
    connection[send](statement(send, sql, values), (error, result) => {
      if (error) reject(error);
      else resolve(result as unknown as T);
    });
  });
}

/** How the driver sends a statement: as a prepared one, or as a text with its values. */
type Send = 'execute' | 'query';

/**
 * The most values of a prepared statement. The driver keeps 400 bytes for each of them on each connection, and lists of other lengths are
 * other statements: together they would take hundreds of megabytes.
 */
const MOST_PREPARED_VALUES = 72;

/**
 * Runs a statement as a prepared one. It is sent as a text if it has many values, or if MySQL has no room for another prepared one
 * (`max_prepared_stmt_count`): callers choose filters and sort orders, so there are more statements than all connections of all processes
 * may prepare.
 */
async function preparedOrNot<T>(
  values: number,
  run: (send: Send, resolve: (result: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  const sent = (send: Send): Promise<T> => new Promise((resolve, reject) => run(send, resolve, reject));
  if (values > MOST_PREPARED_VALUES) return sent('query');
  try {
    return await sent('execute');
  } catch (error) {
    if (isNotPrepared(error)) return sent('query');
    throw error;
  }
}

/** Rows after which {@link Sql.rowsWithin} checks how much the socket has received. */
const ROWS_PER_CHECK = 16;

function executeWithin<T>(
  connection: Connection,
  maxBytes: number,
  sql: string,
  values: readonly SqlValue[] = [],
): Promise<T[] | null> {
  const { stream } = connection as Connection & { stream: Socket };
  const mark = stream.bytesRead + maxBytes;
  let rows: T[] | null = [];
  return preparedOrNot(values.length, (send, resolve, reject) => {
    // Without a callback the driver emits each row as it is received, and emits a lost connection as an error of the connection.
    connection.once('error', reject);
    connection[send](statement(send, sql, values))
      .on('result', (row: unknown) => {
        if (rows === null) return;
        rows.push(row as T);
        if (rows.length % ROWS_PER_CHECK === 0 && stream.bytesRead > mark) rows = null;
      })
      .on('error', reject)
      .on('end', () => {
        connection.off('error', reject);
        resolve(stream.bytesRead > mark ? null : rows);
      });
  });
}

function statement(send: Send, sql: string, values: readonly SqlValue[]): QueryOptions {
  // The driver would bind numbers as DOUBLE, which is not exact and a bad match for the index of an integer column. LIMIT takes no DOUBLE
  // either, and in a text no string.
  const bound = values.map((value) => (typeof value === 'number' && send === 'execute' ? String(value) : value));
  return { sql, values: bound, dateStrings: true };
}

/** Returns `count` placeholders for IN (…) and VALUES (…): `?, ?, ?`. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

/** Repeats the last value up to a power of two, so that the server prepares few different statements of a list. */
export function padded<T>(values: readonly T[]): T[] {
  const last = values.slice(-1);
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  return [...values, ...Array.from({ length: size - values.length }, () => last).flat()];
}

/** Returns a time as MySQL writes a DATETIME(3). */
export function toSqlTime(time: Date): string {
  return time.toISOString().slice(0, 23).replace('T', ' ');
}

/** Returns the ISO 8601 timestamp of a DATETIME(3) read by {@link Sql}, which may omit the milliseconds of a whole second. */
export function toIsoTime(sqlTime: string): string {
  return `${sqlTime.slice(0, 10)}T${sqlTime.slice(11, 19)}${sqlTime.slice(19, 23) || '.000'}Z`;
}

/** Returns the time of a DATETIME(3) read by {@link Sql}. */
export function fromSqlTime(sqlTime: string): Date {
  return new Date(toIsoTime(sqlTime));
}
