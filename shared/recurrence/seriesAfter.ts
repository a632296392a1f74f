import type { UnitOfWork } from '../engine/db';
import { timezoneOf } from './dueSeries';
import { changeSeries, type SeriesChanges, type SeriesState, type SeriesSubject } from './SeriesState';

/**
 * Returns the state of a series after a create or an update ({@link changeSeries}), in the company's time zone. The time zone
 * stays locked until the commit: a concurrent change waits, then moves the new `dueAt`.
 */
export async function seriesAfter(
  uow: UnitOfWork,
  before: SeriesState,
  changes: SeriesChanges,
  subject: Pick<SeriesSubject, 'date' | 'dateField'>,
): Promise<SeriesState> {
  const isSeries = (changes.recurring ?? before.recurring) !== 'none';
  return changeSeries(before, changes, {
    ...subject,
    timezone: isSeries ? await timezoneOf(uow.sql, uow.companyId, 'wait') : null,
    now: uow.now,
  });
}
