import { BaseError, ConnectionError } from 'sequelize';
import { DatabaseUnavailable } from '../errors';

export interface MysqlError {
  code?: string;
  errno?: number;
  fatal?: boolean;
  /** What the operating system refused: `connect`. */
  syscall?: string;
}

/** Returns the driver's own error, unwrapped from Sequelize's. */
export function driverError(error: unknown): MysqlError {
  if (typeof error !== 'object' || error === null) return {};
  const { original } = error as { original?: unknown };
  return typeof original === 'object' && original !== null ? original : error;
}

/** The server has rolled the transaction back, or every further statement fails: an immediate retry of the transaction helps. */
const conflicts = new Set([
  1213, // ER_LOCK_DEADLOCK, also where another server of a Galera cluster has changed the same row
  1020, // ER_CHECKREAD: another transaction has changed the row since the snapshot (MariaDB)
  1412, // ER_TABLE_DEF_CHANGED: a migration ran meanwhile
]);

/** ER_LOCK_WAIT_TIMEOUT: another transaction has held a lock for the whole of innodb_lock_wait_timeout. */
const LOCK_WAIT_TIMEOUT = 1205;

/**
 * The server is not the one that writes now: it has become a replica, or has lost its cluster. It has carried out nothing of the
 * transaction. Through a proxy, another connection leads to the server that took over.
 */
const misled = new Set([
  1047, // ER_UNKNOWN_COM_ERROR: a Galera node that is not part of its cluster
  1290, // ER_OPTION_PREVENTS_STATEMENT: read-only
  1792, // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1836, // ER_READ_ONLY_MODE
]);

/** The server has ended a statement at its time-out. */
const statementTimeouts = new Set([
  1969, // ER_STATEMENT_TIMEOUT (MariaDB)
  3024, // ER_QUERY_TIMEOUT (MySQL)
]);

/** The server refused one statement or transaction, and serves others. */
const contended = new Set([
  ...conflicts,
  ...statementTimeouts,
  LOCK_WAIT_TIMEOUT,
  1206, // ER_LOCK_TABLE_FULL
  1317, // ER_QUERY_INTERRUPTED
  1615, // ER_NEED_REPREPARE
]);

/** The server has closed the session. */
const closed = new Set([
  1053, // ER_SERVER_SHUTDOWN
  1080, // ER_FORCING_CLOSE
  1927, // ER_CONNECTION_KILLED (MariaDB)
  3169, // ER_SESSION_WAS_KILLED
  4031, // ER_CLIENT_INTERACTION_TIMEOUT: the session was silent for wait_timeout
]);

/** The server cannot do it now: it is full, read-only, overloaded or shutting down. */
const unavailable = new Set([
  ...misled,
  ...closed,
  1021, // ER_DISK_FULL
  1026, // ER_ERROR_ON_WRITE
  1030, // ER_GET_ERRNO: the storage engine's own, for example 28, no space left
  1037, // ER_OUTOFMEMORY
  1038, // ER_OUT_OF_SORTMEMORY
  1041, // ER_OUT_OF_RESOURCES
  1114, // ER_RECORD_FILE_FULL
  1040, // ER_CON_COUNT_ERROR
  1135, // ER_CANT_CREATE_THREAD
  1203, // ER_TOO_MANY_USER_CONNECTIONS
  1226, // ER_USER_LIMIT_REACHED
  1637, // ER_TOO_MANY_CONCURRENT_TRXS
  1180, // ER_ERROR_DURING_COMMIT
  3100, // ER_RUN_HOOK_ERROR: group replication refuses a commit
]);

const closedCodes = new Set(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE']);
const lostCodes = new Set([...closedCodes, 'ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH']);

const hasNumberOf = (numbers: ReadonlySet<number>) => (error: unknown) => numbers.has(driverError(error).errno ?? 0);

/** Tests for a deadlock or another conflict, after which the whole transaction can be retried. */
export const isConflict = hasNumberOf(conflicts);
/** Tests for a refusal of a server that does not write now: the connection is of no more use, and a retry on another one may help. */
export const isMisled = hasNumberOf(misled);
/** Tests for a statement that timed out waiting for a lock. */
export const isLockTimeout = hasNumberOf(new Set([LOCK_WAIT_TIMEOUT]));
/** Tests for a statement that the server has ended at its time-out. */
export const isStatementTimeout = hasNumberOf(statementTimeouts);
/** Tests for ER_MAX_PREPARED_STMT_COUNT_REACHED: the server has as many prepared statements as it keeps, and has carried out nothing. */
export const isNotPrepared = hasNumberOf(new Set([1461]));
/** Tests for ER_NO_SUCH_TABLE. */
export const isMissingTable = hasNumberOf(new Set([1146]));
/** Tests for ER_NO_SUCH_TABLE and ER_BAD_FIELD_ERROR: the statement is for another schema than that of the database. */
export const isOtherSchema = hasNumberOf(new Set([1146, 1054]));
/** Tests for a statement for which the account lacks a privilege. */
export const isAccessDenied = hasNumberOf(
  new Set([
    1044, // ER_DBACCESS_DENIED_ERROR
    1142, // ER_TABLEACCESS_DENIED_ERROR
    1143, // ER_COLUMNACCESS_DENIED_ERROR
    1227, // ER_SPECIFIC_ACCESS_DENIED_ERROR
  ]),
);

/** Tests for a statement whose response did not come in time, on an open connection. */
export function isResponseTimeout(error: unknown): boolean {
  const { code, syscall } = driverError(error);
  return code === 'ETIMEDOUT' && syscall !== 'connect';
}

/** Tests for ER_DUP_ENTRY, of the named key if one is given. The server rolled back only the statement, not the transaction. */
export function isDuplicate(error: unknown, key?: string): boolean {
  const driver = driverError(error);
  const { sqlMessage = '' } = driver as { sqlMessage?: string };
  // The server names the key in the message and nowhere else: `for key 'table.key'`, or 'key' on MariaDB.
  return (
    driver.errno === 1062 && (key === undefined || [`.${key}'`, `'${key}'`].some((end) => sqlMessage.endsWith(end)))
  );
}

/** Tests for a connection that broke or could not be made. Whether the server ran the last statement is unknown. */
function isConnectionLoss(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  const { code, fatal, syscall } = driverError(error);
  if (code !== undefined && lostCodes.has(code)) return true;
  // No socket of that name. A file that is missing has the same code.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return fatal === true && !(error instanceof BaseError && error.name === 'SequelizeDatabaseError');
}

/** Tests whether the server or the network has closed an open connection, for example one that was idle for too long. */
export function isClosedByServer(error: unknown): boolean {
  const { code = '', errno = 0 } = driverError(error);
  return closedCodes.has(code) || closed.has(errno);
}

/** Returns the error as a {@link DatabaseUnavailable}, or null where a later retry would not help. */
export function toDatabaseUnavailable(error: unknown): DatabaseUnavailable | null {
  if (error instanceof DatabaseUnavailable) return error;
  const { errno = 0 } = driverError(error);
  if (contended.has(errno)) return new DatabaseUnavailable('contended', error);
  return unavailable.has(errno) || isConnectionLoss(error) ? new DatabaseUnavailable('unavailable', error) : null;
}
