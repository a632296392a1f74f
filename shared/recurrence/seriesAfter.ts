import type { UnitOfWork } from '../engine/db';
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
    timezone: isSeries ? await heldTimezone(uow) : null,
    now: uow.now,
  });
}

async function heldTimezone({ sql, companyId }: UnitOfWork): Promise<string> {
  const [company] = await sql.rows<{ timezone: string }>(
    'SELECT timezone FROM companies WHERE id = ? LOCK IN SHARE MODE',
    [companyId],
  );
  return company?.timezone ?? '';
}
