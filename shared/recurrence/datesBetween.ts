import type { DateOnly } from '../dates/dates';
import { planOccurrences } from './planOccurrences';
import { cadenceOf, type SeriesState } from './SeriesState';

/** The columns of a record that determine its dates. */
export type PlannableSeries = Pick<
  SeriesState,
  'recurring' | 'every' | 'nextDueDate' | 'anchorDate' | 'recurringSince' | 'endsOn'
>;

/**
 * Returns the dates from `from` to `until` (both inclusive) for which a series will create occurrences, oldest first.
 * Empty for a record that is no series. Ignores `paused`, and existing occurrences, as some exist after `nextDueDate` was set back.
 */
export function datesBetween(series: PlannableSeries, from: DateOnly, until: DateOnly): readonly DateOnly[] {
  const { nextDueDate, recurringSince, endsOn } = series;
  const cadence = cadenceOf(series);
  if (cadence === null || nextDueDate === null || recurringSince === null) return [];
  const since = from > recurringSince ? from : recurringSince;
  return planOccurrences({ cadence, nextDueDate, since, endsOn }, until).dates;
}
