/** The parts that all records share: description, change, list, presentation, counts. */
export { changedField, changedFields, changeSummary } from './changedFields';
export { changeRecord, deleteRecord, lockRecord, type RecordKind, saveChanged } from './changeRecord';
export { describeRecord, type RecordDescription } from './describeRecord';
export { enteredFields, statusSummary } from './enteredStatus';
export { checkVersion, entityTag, matchesETag } from './entityTag';
export {
  assigned,
  type ChangesOf,
  date,
  day,
  decided,
  decimal,
  decimalNumber,
  type Fields,
  flag,
  type InputOf,
  nullable,
  optional,
  rate,
  required,
  type RowOf,
  timestamp,
  value,
  type ValueKind,
} from './fields';
export { groupBy } from './groupBy';
export {
  cursorParameter,
  type CursorRequest,
  describeList,
  equal,
  type Filter,
  type ListQuery,
  notAfter,
  notBefore,
  pageRequest,
  readBatches,
  readAnyPage,
  type RecordList,
} from './list';
export { likePattern, likePrefix } from './likePattern';
export { nextUpdatedAt, nextUpdatedAtSql } from './nextUpdatedAt';
export {
  type AnyPage,
  type CursorPage,
  LargePage,
  mapEach,
  mapPage,
  type Page,
  pageOf,
  type PageRequest,
  WHOLE_PAGE_BYTES,
} from './page';
export { extended, picker, type Presenter, presenter } from './present';
export { type PageSource, readPage } from './readPage';
export { addToCounts, countOf, countRecord } from './recordCounts';
export { requireRecord } from './requireRecord';
export { ENDED_KEPT_DAYS, requireRoom } from './requireRoom';
export { besideFirst, readRecord, type RecordSource } from './source';
export { verifyCounts } from './verifyCounts';
