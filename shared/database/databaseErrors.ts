import { BaseError, ConnectionError } from 'sequelize';

interface MysqlError {
  code?: string;
  errno?: number;
  fatal?: boolean;
}

/** The driver's own error, also where Sequelize has wrapped it. */
function driverError(error: unknown): MysqlError {
  if (typeof error !== 'object' || error === null) return {};
  const { original } = error as { original?: unknown };
  return typeof original === 'object' && original !== null ? original : error;
}

/** ER_LOCK_DEADLOCK and ER_LOCK_WAIT_TIMEOUT: the whole transaction can be tried again. */
export function isDeadlock(error: unknown): boolean {
  const { errno } = driverError(error);
  return errno === 1213 || errno === 1205;
}

/** ER_DUP_ENTRY, of the named key if one is given. Only the statement was rolled back, not the transaction. */
export function isDuplicate(error: unknown, key?: string): boolean {
  const driver = driverError(error);
  const { sqlMessage } = driver as { sqlMessage?: string };
  // The server names the key in the message and nowhere else: `for key 'table.key'`, or 'key' on MariaDB.
  return driver.errno === 1062 && (key === undefined || new RegExp(`[.']${key}'`).test(sqlMessage ?? ''));
}

const lostCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'PROTOCOL_CONNECTION_LOST',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  'ENOENT',
]);

/** MySQL cannot be reached, has gone away, or has no connection left: 503, and a retry helps. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  const { code, fatal } = driverError(error);
  if (code !== undefined && lostCodes.has(code)) return true;
  return fatal === true && !(error instanceof BaseError && error.name === 'SequelizeDatabaseError');
}
