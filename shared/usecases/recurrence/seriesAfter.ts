import type { UnitOfWork } from '../../database/unitOfWork';
import { changeSeries, type SeriesChanges, type SeriesState, type SeriesSubject } from './SeriesState';

/**
 * {@link changeSeries} in the company's time zone, which stays what it is until the commit: who changes it waits, and then moves
 * what was dated by it.
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
