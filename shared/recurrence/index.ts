/** Recurrence: series of expenses and invoices, their dates and occurrences. */
export { type Calendar, type Served } from './Calendar';
export { type Occurrence, type SeriesKind } from './SeriesKind';
export { checkSeriesRequest, dueAtOf, noSeries, type SeriesState } from './SeriesState';
export { RestingCompanies } from './RestingCompanies';
export { type Scan, type ScanObserver, type ScanSubject } from './Scan';
export { createdSummary } from './createdSummary';
export {
  describeRecurrence,
  readRecurrence,
  type RecurrenceDescription,
  recurrenceFields,
  recurrenceFilters,
  seriesIdField,
} from './describeRecurrence';
export { datesBetween, type PlannableSeries } from './datesBetween';
export { listOccurrences, type OccurrenceRecord, type Occurrences, type OccurrencesRequest } from './listOccurrences';
export { moveMidnight } from './moveMidnight';
export { readOccurrences } from './readOccurrences';
export { recurrence, type Recurrence } from './recurrences';
export { isUnavailable, previewSeries, seriesCalendar } from './seriesCalendar';
export { seriesAfter } from './seriesAfter';
