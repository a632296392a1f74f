/** MySQL: connections, statements, and the unit of work in which every change is one transaction. */
export { Count, Day, Decimal, Email, Flag, Id, KeyId, NewId, NewKeyId, Small, Text, Timestamp } from './columns';
export { allCompanies, companyPages } from './companyPages';
export { DatabaseClock } from './DatabaseClock';
export {
  driverError,
  isAccessDenied,
  isDuplicate,
  isMissingTable,
  isOtherSchema,
  isResponseTimeout,
  toDatabaseUnavailable,
} from './databaseErrors';
export { insertRow, insertRows, type NewRow, putRows, ROWS_PER_STATEMENT } from './insert';
export { takeNextNumber } from './takeNextNumber';
export { poolUse } from './poolUse';
export { type DatabaseConfig, openDatabase } from './sequelize';
export {
  fromSqlTime,
  limitedSql,
  measuredSql,
  padded,
  placeholders,
  pooledSql,
  type Sql,
  type SqlText,
  type SqlValue,
  toIsoTime,
  toSqlTime,
  transactionSql,
} from './sql';
export { perRow, type RowMatch, rowsOf, updateRows } from './updateRows';
export {
  type EndpointRef,
  type InstallationWork,
  installationWork,
  type JobRef,
  type Recorded,
  RetryTransaction,
  type Transactions,
  type UnitOfWork,
  unitOfWork,
  type WorkContext,
} from './unitOfWork';
